internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Migrates a cache's index to the newest schema and adds rows for files that have none.
struct Upgrade: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Upgrade a cache: its schema, and files that are not entries yet.",
        discussion: """
            Apps need not do this: opening a cache does the same, and takes over files in the background. A folder that \
            Kingfisher wrote gets an index; nothing in it is moved or rewritten.

            EXAMPLES
              halcyon upgrade --folder ./cache --dry-run
              halcyon upgrade --name default --expires never
            """)

    @OptionGroup var cache: CacheOptions

    @Option(
        help: ArgumentHelp(
            "The expiration of files that become entries, as configured in your app, such as 30d or never. (default: 7d)",
            valueName: "time"),
        transform: Expiry.parse)
    var expires: StorageExpiration?

    @Flag(help: "Show what would happen, and change nothing.")
    var dryRun = false

    @Flag(help: "Print a JSON object instead of lines.")
    var json = false

    func run() throws {
        let plan = try UpgradePlan(
            folder: cache.requireFolder(.using).path, namesAreHashed: !cache.hasUnhashedNames)
        guard !dryRun else { return try report(plan, isDone: false) }
        try cache.withStorage(expiration: expires) { storage in
            let bar = Locked(ProgressBar(total: plan.blobs + plan.legacyBlobs))
            defer { bar.withLock { $0.clear() } }
            try storage.finishAdoption { progress in bar.withLock { $0.show(progress.files, "files looked at") } }
            try storage.finishUpgrade { entries in bar.withLock { $0.show(entries, "entries looked at") } }
        }
        try report(plan, isDone: true)
    }

    private func report(_ plan: UpgradePlan, isDone: Bool) throws {
        let text = UpgradeText(plan, isDone: isDone)
        try Output.print(json ? text.object.indented() : text.lines)
    }
}
