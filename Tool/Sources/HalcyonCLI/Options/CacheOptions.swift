internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

typealias Storage = DiskStorage.Backend<Data>

/// The cache that a command works on.
struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The directory of the cache, which contains the blobs and .halcyon.", valueName: "path"),
        completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "The name of a cache in your Caches directory (com.onevcat.Kingfisher.ImageCache.NAME). \(defaultNote)",
            valueName: "name"))
    var name: String?

    @Flag(
        name: .customLong("no-keys"),
        help: ArgumentHelp(
            "For a cache whose app sets storesKeys to false: pass it to every command then. Erases all keys in the "
                + "index, for good; it does not only hide them. Lookups by key still work; lists show file names."
        ))
    var keepsNoKeys = false

    @Flag(
        name: .customLong("unhashed-names"),
        help: ArgumentHelp(
            "The names of the files are the keys. If your app sets usesHashedFileName to false, pass this option to every command."
        ))
    var hasUnhashedNames = false

    private static let defaultNote = "(default: default)"

    func validate() throws {
        if folder != nil, name != nil {
            throw ValidationError("Give --folder or --name, not both.")
        }
        if folder?.isEmpty ?? false {
            throw ValidationError(
                "--folder is empty. Give the path of the "
                    + "cache's directory.")
        }
        if let folder, !(folder as NSString).expandingTildeInPath.hasPrefix("/"), !Self.canNameCurrentDirectory {
            throw ValidationError(
                "The path of the current directory is not UTF-8, so --folder cannot be relative to it. Give an absolute path, or "
                    + "change to another directory.")
        }
        if let name, name.isEmpty || name.contains("/") || name.contains("\0") {
            throw ValidationError(
                "The name of a cache must not be empty or contain a slash. To give a "
                    + "path, use --folder.")
        }
    }

    /// Foundation replaces what is not UTF-8, so that several directories would become one.
    private static var canNameCurrentDirectory: Bool {
        guard let path = getcwd(nil, 0) else { return true }
        defer { free(path) }
        return String(validatingCString: path) != nil
    }

    /// What a command requires of the folder.
    enum Purpose {
        /// A cache must exist. Its index is not migrated while another process has it open.
        case reading
        /// A cache must exist.
        case using
        /// A cache is created if there is none.
        case filling
    }

    /// Opens the cache, and always closes it: only closing writes the access times.
    ///
    /// - Parameter expiration: the expiration of files that are adopted as entries; nil for a week.
    func withStorage<Result>(
        _ purpose: Purpose = .using, expiration: StorageExpiration? = nil, _ body: (Storage) throws -> Result
    ) throws -> Result {
        var config = config
        config.expiration = expiration ?? config.expiration
        let storage = Storage(noThrowConfig: config, creatingDirectory: false)
        try require(purpose, at: storage.directoryURL)
        if purpose == .reading { try requireNoMigration(at: storage.directoryURL.path) }
        do {
            try storage.open()
            if keepsNoKeys { try storage.forgetKeys() }
        } catch {
            throw Failure("Cannot use the cache at \(storage.directoryURL.path). \(error)")
        }
        defer { storage.close() }
        return try body(storage)
    }

    /// Waits, because another command may be about to migrate the index.
    private func requireNoMigration(at folder: String) throws {
        for _ in 0..<40 {
            // If the index cannot be read now, opening it reports the error.
            guard (try? UpgradePlan.wouldMigrateIndexInUse(at: folder)) == true else { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw Failure(
            "The index at \(folder) has an older schema and is in use. Reading it would upgrade it, and then the process that "
                + "has it open could no longer use it. End or update that process, or run ‘halcyon upgrade’ to upgrade now."
        )
    }

    /// The cache's folder. Creates and opens nothing.
    var folderURL: URL {
        var config = config
        return config.takeFolder()
    }

    /// The cache's folder, if a command can work there.
    func requireFolder(_ purpose: Purpose) throws -> URL {
        let url = folderURL
        try require(purpose, at: url)
        return url
    }

    private func require(_ purpose: Purpose, at url: URL) throws {
        try CacheFolder(path: url.path, hasUnhashedNames: hasUnhashedNames).require(purpose)
    }

    private var config: DiskStorage.Config {
        var config = DiskStorage.Config(name: name ?? "default", sizeLimit: 0)
        config.storesKeys = !keepsNoKeys
        config.usesHashedFileName = !hasUnhashedNames
        if let folder {
            let url = URL(fileURLWithPath: (folder as NSString).expandingTildeInPath, isDirectory: true)
            config.cachePathBlock = { _, _ in url }
        }
        return config
    }
}
