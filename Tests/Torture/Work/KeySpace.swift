/// The keys of a run: pinned ones, which only a removal by key deletes, and loose ones.
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
