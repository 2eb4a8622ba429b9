import Foundation
import Halcyon
import Workload

/// Opens a cache in a separate process.
struct OpeningProbe {
    let role: Contestant.Role
    let folder: URL
    /// That are in it.
    let entries: Int

    struct Answer: Codable {
        /// Microseconds until the first value.
        let opened: Double
        /// The same a second time in that process, without the cost of the first use of the language's and the system's libraries.
        let openedAgain: Double
        /// Anonymous memory in bytes after some use, beyond that before the opening.
        let growth: Double
    }

    private static let argument = "opening-probe"

    init(role: Contestant.Role, folder: URL, entries: Int) {
        self.role = role
        self.folder = folder
        self.entries = entries
    }

    /// nil if these are not the arguments of a probe.
    init?(_ arguments: [String]) {
        guard arguments.count == 5, arguments[1] == Self.argument, let entries = Int(arguments[4]) else { return nil }
        self.init(
            role: arguments[2] == "halcyon" ? .halcyon : .attribute, folder: URL(fileURLWithPath: arguments[3]),
            entries: entries)
    }

    func answerOfNewProcess() throws -> Answer {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [Self.argument, role == .halcyon ? "halcyon" : "attribute", folder.path, "\(entries)"]
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(Answer.self, from: text)
    }

    // MARK: In the new process

    func run() {
        do {
            let answer = role == .halcyon ? try openHalcyon() : try openAttributes()
            FileHandle.standardOutput.write(try JSONEncoder().encode(answer))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private func openHalcyon() throws -> Answer {
        let config = HalcyonCache.config(folder)
        return try answer {
            try DiskStorage.Backend<Data>(config: config)
        } value: {
            try $0.value(forKey: $1)
        } use: { storage in
            for key in keys(5_000) { _ = storage.isCached(forKey: key) }
            _ = try storage.totalSize()
        } close: { storage in
            storage.suspend()
            storage.resume()
        }
    }

    private func openAttributes() throws -> Answer {
        try answer {
            try AttributeBackend(folder: folder)
        } value: {
            try $0.value(forKey: $1)
        } use: { backend in
            for key in keys(1_000) { _ = backend.isCached(forKey: key) }
            backend.settle()
        } close: { _ in
        }
    }

    private func answer<Cache>(
        _ open: () throws -> Cache, value: (Cache, String) throws -> Data?, use: (Cache) throws -> Void,
        close: (Cache) -> Void
    ) throws -> Answer {
        let before = Memory.anonymous
        let begin = now()
        var cache = try open()
        let first = try value(cache, Item.key(entries / 2))
        let opened = now() - begin
        require((first == nil) == (entries == 0))
        try use(cache)
        for key in keys(1_000) { _ = try value(cache, key) }
        let growth = Double(Memory.anonymous - before)
        close(cache)
        let again = now()
        cache = try open()
        _ = try value(cache, Item.key(entries / 2))
        return withExtendedLifetime(cache) {
            Answer(opened: opened, openedAgain: now() - again, growth: growth)
        }
    }

    private func keys(_ count: Int) -> [String] {
        var randomness = Randomness()
        return (0..<count).map { _ in Item.key(Int.random(in: 0..<max(1, entries), using: &randomness)) }
    }
}
