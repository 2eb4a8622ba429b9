internal import CHalcyonFaultVFS
package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// The work of a separate process, which then calls `exit` like an ordinary one.
package enum Errand: String, CaseIterable, Sendable {
    /// Opens a storage again and again.
    case openOften
    /// Removes, evicts, checks, clears, suspends and closes while no thread of the global utility pool is free.
    case useFullPool
    /// Reads all of ``keys``.
    case read
    /// Reads them and creates a file; exits once that file is deleted.
    case readAndWait
    /// Reads them and suspends.
    case readAndSuspend
    /// Reads them while a copy of the process (`fork`) exits; then kills itself.
    case readBesideCopy
    /// Reads them and exits from a closure that the cache calls under its write lock.
    case readAndExitInside
    /// Reads, stores, counts and checks, and ignores all errors.
    case useRegardless
    /// Stores other keys, copies the log into the database, and then creates a file.
    case storeAndCheckpoint

    package func perform(in directory: URL) throws {
        switch self {
        case .openOften: try openOften(in: directory)
        case .useFullPool: try whilePoolIsFull { try use(directory) }
        case .read: try read(in: directory) { _ in }
        case .readAndWait: try read(in: directory) { _ in try Self.waitForRemoval(of: Self.signal(in: directory)) }
        case .readAndSuspend: try read(in: directory) { $0.suspend() }
        case .readBesideCopy: try read(in: directory) { _ in Self.exitInCopy() }
        case .useRegardless: try useRegardless(in: directory)
        case .storeAndCheckpoint: try storeAndCheckpoint(in: directory)
        case .readAndExitInside:
            try read(in: directory) { storage in try storage.update(forKey: Self.keys[0]) { _ in exit(0) } }
        }
    }

    // MARK: Reading

    package static let keys = (0..<500).map { "key \($0)" }

    package static func config(in directory: URL) -> DiskStorage.Config {
        DiskStorage.Config(name: "errand", sizeLimit: 0, directory: directory)
    }

    /// Exists while the process waits, or once it has done its work.
    package static func signal(in directory: URL) -> URL { directory.appendingPathComponent("waiting") }

    /// Ends the process.
    private func read(in directory: URL, then body: (DiskStorage.Backend<Data>) throws -> Void) throws {
        let storage = try DiskStorage.Backend<Data>(config: Self.config(in: directory))
        for key in Self.keys { try read(key, from: storage) }
        try body(storage)
        // Keeps the storage alive until then.
        withExtendedLifetime(storage) { exit(0) }
    }

    /// Tries again after a miss: while another process upgrades the index, lookups miss.
    private func read(_ key: String, from storage: DiskStorage.Backend<Data>) throws {
        for _ in 0..<6_000 {
            if try storage.value(forKey: key) != nil { return }
            usleep(10_000)
        }
        throw Failure(text: "a miss")
    }

    private static func waitForRemoval(of file: URL) throws {
        try Data().write(to: file)
        while FileManager.default.fileExists(atPath: file.path) { usleep(1_000) }
    }

    private static func exitInCopy() {
        let child = halcyon_fork()
        if child == 0 { exit(0) }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        kill(getpid(), SIGKILL)
    }

    /// Ends the process.
    private func useRegardless(in directory: URL) throws {
        let storage = DiskStorage.Backend<Data>(noThrowConfig: Self.config(in: directory), creatingDirectory: true)
        for key in Self.keys.prefix(20) {
            let value = Data(key.utf8)
            let found = try? storage.value(forKey: key)
            guard found == nil || found == value else { throw Failure(text: "other bytes") }
            try? storage.store(value: value, forKey: key)
        }
        _ = try? storage.totalSize()
        _ = try? storage.store.check(repair: true)
        storage.close()
        exit(0)
    }

    /// Ends the process.
    private func storeAndCheckpoint(in directory: URL) throws {
        let storage = try DiskStorage.Backend<Data>(config: Self.config(in: directory))
        // Before the stores, because housekeeping may checkpoint while they go on.
        let size = try storage.usage().indexBytes
        // A thread of its own, which may be refused like this one.
        let isDone = DispatchSemaphore(value: 0)
        Thread {
            try? storage.store(value: Data(), forKey: "another")
            isDone.signal()
        }.start()
        isDone.wait()
        for key in Self.keys { try storage.store(value: Data(key.utf8), forKey: "new \(key)") }
        // The first one may be refused.
        for _ in 0..<2 { storage.store.index.checkpoint() }
        guard try storage.usage().indexBytes > size else { throw Failure(text: "nothing was copied") }
        try Data().write(to: Self.signal(in: directory))
        withExtendedLifetime(storage) { exit(0) }
    }

    // MARK: Threads

    /// With a thread for each busy queue there were up to 143.
    private static let threadLimit = 40

    private func openOften(in directory: URL) throws {
        var most = 0
        for _ in 0..<500 {
            let storage = try DiskStorage.Backend<Data>(config: Self.config(in: directory))
            try storage.store(value: Data("value".utf8), forKey: "key")
            most = max(most, ProcessThreads.count)
        }
        guard most <= Self.threadLimit else { throw Failure(text: "\(most) threads") }
    }

    /// Gives the pool more blocking work than threads, and requires that it still has at the end.
    private func whilePoolIsFull(_ body: () throws -> Void) throws {
        let (gate, isFree, count, begun) = (DispatchSemaphore(value: 0), DispatchGroup(), 200, Locked(0))
        for _ in 0..<count {
            DispatchQueue.global(qos: .utility).async(group: isFree) {
                begun.withLock { $0 += 1 }
                gate.wait()
            }
        }
        defer {
            for _ in 0..<count { gate.signal() }
            isFree.wait()
        }
        try body()
        // The pool adds a thread every second, and housekeeping's work comes after all of these.
        guard begun.withLock({ $0 }) < count else { throw Failure(text: "waited for the pool") }
    }

    private func use(_ directory: URL) throws {
        var config = Self.config(in: directory)
        config.countLimit = 500
        let storage = try DiskStorage.Backend<Data>(config: config)
        for number in 0..<1_500 { try storage.store(value: Data("\(number)".utf8), forKey: "\(number)") }
        // Requests unlinks, for which housekeeping gets no thread.
        for number in 0..<50 { try storage.remove(forKey: "\(number)") }
        _ = try storage.removeSizeExceededValues()
        try requireEmptyTrash(of: storage)
        guard try storage.store.check().isClean else { throw Failure(text: "not clean") }
        storage.suspend()
        storage.resume()
        _ = try storage.value(forKey: "1499")
        try storage.removeAll()
        try requireEmptyTrash(of: storage)
        try storage.store(value: Data(), forKey: "last")
        try storage.remove(forKey: "last")
        storage.close()
        try requireEmptyTrash(of: storage)
    }

    private func requireEmptyTrash(of storage: DiskStorage.Backend<Data>) throws {
        let trash = storage.directoryURL.appendingPathComponent(".halcyon/trash")
        let names = try FileManager.default.contentsOfDirectory(atPath: trash.path)
        guard names.isEmpty else { throw Failure(text: "\(names.count) files left in the trash") }
    }

    private struct Failure: Error {
        let text: String
    }
}

extension Errand {
    /// One line for ``parse(_:)``, with the folder.
    package func line(in directory: URL) -> String { "errand\t\(rawValue)\t\(directory.path)" }

    /// nil for any other line.
    package static func parse(_ line: String) -> (errand: Errand, directory: URL)? {
        let fields = line.split(separator: "\t", maxSplits: 2).map(String.init)
        guard fields.count == 3, fields[0] == "errand", let errand = Errand(rawValue: fields[1]) else { return nil }
        return (errand, URL(fileURLWithPath: fields[2], isDirectory: true))
    }
}
