import Foundation
import Halcyon
import HalcyonTestSupport

/// A disk storage on a folder, as a process of its own has it: with connections and pending notes of its own.
final class Cache {
    let folder: URL
    private(set) var storage: DiskStorage.Backend<Data>
    private let environment: StorageEnvironment
    private let config: DiskStorage.Config
    private let warnings: Locked<[String]>

    /// - Parameters:
    ///   - countLimit: entries beyond which an eviction takes some; 0, none.
    ///   - change: of what the storage takes from the world.
    init(
        folder: URL, countLimit: Int = 0, tuning: Tuning = .patient,
        _ change: (inout StorageEnvironment) -> Void = { _ in }
    ) {
        self.folder = folder
        let warnings = Locked<[String]>([])
        var environment = StorageEnvironment()
        environment.isShared = false
        environment.tuning = tuning
        environment.warn = { warning in warnings.withLock { $0.append(warning) } }
        change(&environment)
        var config = Self.config(in: folder)
        config.countLimit = countLimit
        self.environment = environment
        self.config = config
        self.warnings = warnings
        storage = DiskStorage.Backend(noThrowConfig: config, creatingDirectory: false, environment: environment)
    }

    static func config(in folder: URL) -> DiskStorage.Config {
        DiskStorage.Config(name: "torture", sizeLimit: 0, directory: folder)
    }

    static func indexPath(in folder: URL) -> String {
        let storage = DiskStorage.Backend<Data>(noThrowConfig: config(in: folder), creatingDirectory: false)
        return storage.directoryURL.appendingPathComponent(".halcyon/index.sqlite").path
    }

    deinit { close() }

    /// Waits for housekeeping and closes all connections; a later use opens them again.
    func close() { storage.store.close() }

    /// As the end of a process and the start of another do.
    func reopen() {
        close()
        open()
    }

    /// Opens the index; otherwise the first use does.
    func open() {
        storage = DiskStorage.Backend(noThrowConfig: config, creatingDirectory: true, environment: environment)
    }

    /// Waits for what follows an opening, and for what that has asked for.
    func settle() {
        storage.store.housekeepingWait()
        storage.store.housekeepingWait()
    }

    func takeWarnings() -> [String] {
        warnings.withLock { warnings in
            defer { warnings = [] }
            return warnings
        }
    }
}
