import Foundation

/// `--rows 100000,1000000 --rounds 3 --candidates A,E --folder PATH --output FILE`, all of them optional.
struct Arguments {
    private(set) var rows = [100_000]
    private(set) var rounds = 3
    private(set) var candidates = Candidate.all
    /// Always a new folder inside the one asked for, because it is removed at the end.
    private(set) var folder = Self.newFolder(in: FileManager.default.temporaryDirectory)
    private(set) var output: URL?

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let option = words.next() {
            guard let value = words.next() else { throw DatabaseError(description: "\(option) needs a value") }
            try set(option, to: value)
        }
    }

    private mutating func set(_ option: String, to value: String) throws {
        let parts = value.split(separator: ",").map(String.init)
        switch option {
        case "--rows": rows = parts.compactMap { Int($0) }
        case "--rounds": rounds = Int(value) ?? rounds
        case "--candidates": candidates = Candidate.all.filter { parts.contains($0.letter) }
        case "--folder": folder = Self.newFolder(in: URL(fileURLWithPath: value))
        case "--output": output = URL(fileURLWithPath: value)
        default: throw DatabaseError(description: "unknown option \(option)")
        }
    }

    private static func newFolder(in parent: URL) -> URL {
        parent.appendingPathComponent("schema-candidates-\(UUID().uuidString)")
    }
}
