internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// The entries whose notes a command changes.
struct KeysOptions: ParsableArguments {
    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Flag(help: "An object instead of lines.")
    var json = false

    @Argument(help: "The keys.")
    var keys: [String]

    /// What came of it.
    struct Outcome {
        /// As they are now.
        var entries: [(key: String, entry: DiskStorage.EntryInfo)] = []
        /// Keys under which nothing is cached.
        var missing: [String] = []
    }

    /// Changes what is noted of each entry, and rewrites no blob.
    ///
    /// - Parameter change: is given an entry, and returns what is new of it.
    func update(_ change: (DiskStorage.EntryInfo) -> DiskStorage.EntryAttributes) throws -> Outcome {
        try cache.withStorage { storage in
            var outcome = Outcome()
            for key in keys {
                if let entry = try update(key, in: storage, change) {
                    outcome.entries.append((key, entry))
                } else {
                    outcome.missing.append(key)
                }
            }
            return outcome
        }
    }

    private func update(
        _ key: String, in storage: Storage, _ change: (DiskStorage.EntryInfo) -> DiskStorage.EntryAttributes
    ) throws -> DiskStorage.EntryInfo? {
        guard try storage.update(forKey: key, forcedExtension: naming.pathExtension, change) else { return nil }
        return try storage.entry(forKey: key, forcedExtension: naming.pathExtension)
    }

    /// Prints what came of it, names the keys that were not there, and ends with status 1 if there were any.
    func report(_ outcome: Outcome, object: [(name: String, value: JSON)], lines: String) throws {
        let members = object + [("missing", .strings(outcome.missing))]
        if json || !lines.isEmpty { try Output.print(json ? JSON.object(.init(members)).indented() : lines) }
        outcome.missing.forEach { Message.print("Nothing is cached under “\($0)”.") }
        guard outcome.missing.isEmpty else { throw ExitCode.failure }
    }
}
