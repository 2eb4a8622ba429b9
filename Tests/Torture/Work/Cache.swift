import Foundation
import Halcyon
import HalcyonTestSupport

/// A disk storage on a folder, with its own connections and pending accesses, like that of a separate process.
final class Cache {
    let folder: URL
    private(set) var storage: DiskStorage.Backend<Data>
    private let environment: StorageEnvironment
    private let config: DiskStorage.Config
    private let warnings: Locked<[String]>

    /// - Parameters:
    ///   - countLimit: the number of entries beyond which an eviction removes some; 0 for none.
    ///   - change: changes the storage's environment.
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

    /// Waits for housekeeping and closes all connections; the next use opens them again.
    func close() { storage.store.close() }

    /// As at the end of a process and the start of another one.
    func reopen() {
        close()
        open()
    }

    /// Opens the index; otherwise the first use does.
    func open() {
        storage = DiskStorage.Backend(noThrowConfig: config, creatingDirectory: true, environment: environment)
    }

    /// Waits for the work that follows an opening, and for the work that it requests.
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
