import Foundation

/// `HalcyonAPIDigest FOLDER`: prints the digest of the symbol graphs in a folder. Scripts/api runs it.
@main
enum Main {
    static func main() throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? ".", isDirectory: true)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix(".symbols.json") }
        let graphs = try files.map { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)) }
        print(APIDigest(graphs).text, terminator: "")
    }
}
