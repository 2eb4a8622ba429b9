/// The keys that a run uses: pinned ones, which only a removal by their name takes away, and loose ones.
struct KeySpace: Sendable {
    let pinned: [String]
    let loose: [String]

    init(pinned: Int, loose: Int) {
        self.pinned = (0..<pinned).map { "p\($0)" }
        self.loose = (0..<loose).map { "k\($0)" }
    }

    var all: [String] { pinned + loose }

    func isPinned(_ key: String) -> Bool { key.hasPrefix("p") }
}
