import Foundation

/// Progress messages, on stderr because stdout has the table.
enum Progress {
    private static let begin = now()

    /// Seconds count from here.
    static func start() { _ = begin }

    static func say(_ line: String) {
        let seconds = Int((now() - begin) / 1e6)
        FileHandle.standardError.write(Data("[\(seconds) s] \(line)\n".utf8))
    }
}
