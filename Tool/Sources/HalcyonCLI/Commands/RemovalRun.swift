internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// A removal with progress, which Ctrl-C can end, and its result.
final class RemovalRun {
    private(set) var report: RemovalReport
    private let storage: Storage
    private let progress: Progress
    private let interruption: Interruption
    private let watcher: ProgressWatcher

    init(of storage: Storage, isDryRun: Bool) {
        let progress = Progress(totalUnitCount: 0)
        let interruption = Interruption { progress.cancel() }
        self.storage = storage
        (self.progress, self.interruption) = (progress, interruption)
        watcher = ProgressWatcher(progress, label: "removed")
        report = RemovalReport(isDryRun: isDryRun)
    }

    /// Removes the progress bar. After this, the command only prints.
    func end() {
        watcher.stop()
        interruption.end()
        report.isInterrupted = interruption.isRequested
    }

    /// Removes the entries that match a filter.
    func remove(_ filter: DiskStorage.EntryFilter) throws {
        guard report.isDryRun else {
            report.add(try storage.removeEntries(matching: filter, progress: progress))
            return
        }
        _ = try EntryQuery(storage: storage, filter: filter).forEach { entry, _ in
            if interruption.isRequested { throw ExitCode.interrupted }
            report.add([entry])
        }
    }

    /// Removes the entries of some keys.
    ///
    /// - Parameter variants: whether to remove their variants too.
    func remove(_ keys: [String], _ pathExtension: String?, variants: Bool) throws {
        let missing = try keys.withoutRepetitions.filter { key in
            if interruption.isRequested { return false }
            let before = report.totals.entries
            try removeEntry(key, pathExtension)
            return report.totals.entries == before
        }
        report.missing = missing
        guard variants, !interruption.isRequested else { return }
        report.missing = try withoutVariants(missing)
        try remove(.init(baseKeys: keys))
    }

    /// The keys that have no variant.
    private func withoutVariants(_ keys: [String]) throws -> [String] {
        guard !keys.isEmpty else { return [] }
        let variants = try storage.entries(matching: .init(baseKeys: keys), limit: .max).entries
        // If keys are not stored, only the index can match variants to them.
        let isUnknown = variants.contains { $0.key == nil }
        return try keys.filter { key in
            // Only an entry without a record of its image belongs to a key by its own key.
            let isThere = variants.contains {
                $0.baseKey.map { $0.utf8.elementsEqual(key.utf8) }
                    ?? ($0.key?.utf8.starts(with: "\(key)@".utf8) == true)
            }
            return try !isThere && !(isUnknown && storage.totals(matching: .init(baseKey: key)).entries > 0)
        }
    }

    /// Also removes a file without a row, whose name alone shows that it belongs to the key.
    private func removeEntry(_ key: String, _ pathExtension: String?) throws {
        guard try storage.hasRowOrFile(forKey: key, forcedExtension: pathExtension) else { return }
        let entry = try storage.entry(forKey: key, forcedExtension: pathExtension)
        guard try report.isDryRun || storage.removeIfPresent(forKey: key, forcedExtension: pathExtension) else {
            return
        }
        if let entry { return report.add([entry]) }
        report.addFile(named: storage.cacheFileURL(forKey: key, forcedExtension: pathExtension).lastPathComponent)
    }
}
