import Foundation

/// Runs one hot path a given number of times; Scripts/instructions counts its instructions.
@main
enum Main {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 2 || words.dropFirst(2) == ["settled"], let path = words.first.flatMap(HotPath.init),
            let count = words.dropFirst().first.flatMap({ Int($0) })
        else {
            let names = HotPath.allCases.map(\.rawValue).joined(separator: "|")
            FileHandle.standardError.write(Data("usage: HalcyonHotPaths \(names) count [settled]\n".utf8))
            exit(64)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-hot-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try path.run(count, in: folder, isSettled: words.count == 3)
    }
}
