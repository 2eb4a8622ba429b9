internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Removes entries.
struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove entries by their keys, by conditions, or all of them.",
        discussion: """
            A key that is not cached, and conditions that no entry meets, are reported on standard error; the status is \
            still 0. With conditions and with --all, the command asks before it removes anything. Add --yes in a script. \
            Pinned entries are removed too, unless you add --unpinned to the conditions.

            Ctrl-C stops after the current batch and reports what was removed; with --all, it ends the command at once. With --json, the output is an object: \
            "entries", "bytes", the removed entries as "removed" (not with --all), and the keys that were not cached as \
            "missing".

            EXAMPLES
              halcyon remove --folder ./cache photo.jpg https://example.com/a.png
              halcyon remove --folder ./cache --variants https://example.com/a.png
              halcyon remove --folder ./cache --host img.example.com --unused 30d --dry-run
              halcyon remove --folder ./cache --tag 'user 7' --yes --json
              halcyon remove --folder ./cache --all --yes
            """)

    @OptionGroup var cache: CacheOptions
    @OptionGroup var naming: ExtensionOption

    @Flag(help: "Remove everything.")
    var all = false

    @Flag(help: "Also remove the variants of the images with these keys.")
    var variants = false

    @OptionGroup var confirmation: Confirmation

    @Flag(help: "Show what would be removed, and remove nothing.")
    var dryRun = false

    @Flag(help: "An object instead of lines.")
    var json = false

    @OptionGroup(title: "CONDITIONS") var conditions: FilterOptions

    @Argument(help: "The keys.")
    var keys: [String] = []

    func validate() throws {
        if all, !keys.isEmpty { throw ValidationError("Give keys or --all, not both.") }
        if variants, all { throw ValidationError("--all removes the variants too. Leave out --variants.") }
        if variants, keys.isEmpty { throw ValidationError("--variants needs keys. Give the keys of images.") }
        if conditions.filter?.isEmpty ?? false {
            throw ValidationError("--filter is empty. Give a text, or --all for everything.")
        }
        if !conditions.isEmpty, all || !keys.isEmpty {
            throw ValidationError("Conditions cannot be combined with keys or --all.")
        }
        if keys.isEmpty, naming.pathExtension != nil {
            throw ValidationError("--extension belongs to the keys. Give keys, or leave it out.")
        }
        guard !all, keys.isEmpty, conditions.isEmpty else { return }
        throw ValidationError("Give the keys to remove, conditions, or --all for everything.")
    }

    func run() throws {
        try cache.withStorage(dryRun ? .reading : .using) { storage in
            if all, !dryRun { return try removeAll(from: storage) }
            if keys.isEmpty { return try removeMatches(in: storage) }
            try removeKeys(from: storage)
        }
    }

    private func removeAll(from storage: Storage) throws {
        try confirmation.ask(question(storage.totals(matching: .all), .all, in: storage))
        // Others may have stored or removed while the question was open.
        let totals = try storage.totals(matching: .all)
        try removeAll(Int(totals.entries), from: storage)
        let text = "Removed \(totals.text), from \(storage.directoryURL.path)."
        try Output.print(json ? RemovalReport(totals).object.indented() : TextWidth.printable(text))
    }

    private func removeAll(_ count: Int, from storage: Storage) throws {
        let progress = Progress(totalUnitCount: Int64(count))
        let watcher = ProgressWatcher(progress, label: "removed")
        defer { watcher.stop() }
        try storage.removeAll { progress.completedUnitCount = Int64($0) }
    }

    // MARK: Keys

    private func removeKeys(from storage: Storage) throws {
        let run = RemovalRun(of: storage, isDryRun: dryRun)
        defer { run.end() }
        do {
            try run.remove(keys, naming.pathExtension, variants: variants)
        } catch  where !(error is ExitCode) {
            run.end()
            let count = Int(run.report.totals.entries)
            if count > 0 { Message.print("\(run.report.verb) \(Count.entries(count)) before this error:") }
            throw error
        }
        run.end()
        run.report.missing.forEach { Message.print("Nothing is cached under “\($0)”.") }
        try print(run.report, variants ? run.report.totals.text : Count.entries(Int(run.report.totals.entries)))
    }

    // MARK: Conditions

    private func removeMatches(in storage: Storage) throws {
        let now = Date()
        let filter = conditions.entryFilter(at: now)
        let totals = try storage.totals(matching: filter)
        if totals.entries > 0, !dryRun { try confirmation.ask(question(totals, filter, in: storage)) }
        let run = RemovalRun(of: storage, isDryRun: dryRun)
        defer { run.end() }
        try run.remove(filter)
        run.end()
        try print(run.report, run.report.totals.text)
        var left = filter
        // Not those that were stored meanwhile.
        left.createdBefore = min(filter.createdBefore ?? now, now)
        try judge(run.report, expected: totals, left, in: storage)
    }

    private func question(
        _ totals: Totals, _ filter: DiskStorage.EntryFilter, in storage: Storage
    ) throws -> String {
        var pinned = filter
        pinned.isPinned = true
        let count = filter.isPinned == nil ? try storage.totals(matching: pinned).entries : 0
        let remark = count > 0 ? " (\(count) of them pinned)" : ""
        return "Remove \(totals.text)\(remark), from \(storage.directoryURL.path)?"
    }

    private func judge(
        _ report: RemovalReport, expected: Totals, _ filter: DiskStorage.EntryFilter, in storage: Storage
    ) throws {
        if report.totals.entries == 0, expected.entries == 0, !all {
            return Message.print("No entry meets the conditions.")
        }
        guard !dryRun, report.totals.entries < expected.entries else { return }
        let left = try storage.totals(matching: filter).entries
        guard left > 0 else { return }
        throw Failure(
            "\(Count.entries(Int(left))) could not be removed. Run ‘halcyon check’ to find the reason."
        )
    }

    // MARK: Text

    private func print(_ report: RemovalReport, _ text: String) throws {
        if dryRun, !json { try report.printTable() }
        try Output.print(json ? report.object.indented() : "\(report.verb) \(text).")
        guard report.isInterrupted else { return }
        Message.print(
            dryRun
                ? "Interrupted: there may be more entries."
                : "Interrupted: the entries above were removed, the others are unchanged.")
        throw ExitCode.interrupted
    }
}
