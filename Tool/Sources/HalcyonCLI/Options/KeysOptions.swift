internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

extension [String] {
    /// Each string once. Compares bytes, as keys do.
    var withoutRepetitions: [String] {
        var seen: Set<[UInt8]> = []
        return filter { seen.insert(Array<UInt8>($0.utf8)).inserted }
    }
}

/// The entries whose attributes a command changes.
struct KeysOptions: ParsableArguments {
    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Flag(help: "Print a JSON object instead of lines.")
    var json = false

    @Argument(help: "The keys.")
    var keys: [String]

    /// The result of an update.
    struct Outcome {
        /// The entries after the update.
        var entries: [(key: String, entry: DiskStorage.EntryInfo)] = []
        /// Keys without an entry.
        var missing: [String] = []
    }

    /// Changes the attributes of each entry. Rewrites no blobs.
    ///
    /// - Parameter change: receives an entry and returns its new attributes. If it is nil, the entries are only read, which does
    ///   not wait for a lock.
    func update(_ change: ((DiskStorage.EntryInfo) -> DiskStorage.EntryAttributes)?) throws -> Outcome {
        try cache.withStorage(change == nil ? .reading : .using) { storage in
            var outcome = Outcome()
            let keys = keys.withoutRepetitions
            for key in keys {
                do {
                    if let entry = try update(key, in: storage, change) {
                        outcome.entries.append((key, entry))
                    } else {
                        outcome.missing.append(key)
                    }
                } catch {
                    if change != nil, !outcome.entries.isEmpty {
                        let count = Count.entries(outcome.entries.count)
                        Message.print("Changed \(count) of \(keys.count) before this error:")
                    }
                    throw error
                }
            }
            return outcome
        }
    }

    private func update(
        _ key: String, in storage: Storage, _ change: ((DiskStorage.EntryInfo) -> DiskStorage.EntryAttributes)?
    ) throws -> DiskStorage.EntryInfo? {
        if let change, try !storage.update(forKey: key, forcedExtension: naming.pathExtension, change) { return nil }
        return try storage.entry(forKey: key, forcedExtension: naming.pathExtension)
    }

    /// Prints the result and the missing keys. Exits with status 1 if any key was missing.
    func report(_ outcome: Outcome, object: [(name: String, value: JSON)], lines: String) throws {
        let members = object + [("missing", .strings(outcome.missing))]
        if json || !lines.isEmpty { try Output.print(json ? JSON.object(.init(members)).indented() : lines) }
        outcome.missing.forEach { Message.print("Nothing is cached under “\($0)”.") }
        guard outcome.missing.isEmpty else { throw ExitCode.failure }
    }
}
