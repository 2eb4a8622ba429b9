import Foundation
import HalcyonMigrations
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// The folder in which an operation begins: created once, and copied for each run.
struct PreparedFolder {
    private let template: TemporaryFolder

    init(for operation: StorageOperation) throws {
        template = try TemporaryFolder()
        guard operation != .open else { return }
        let storage = OperationRun.storage(in: template.url)
        for seed in 0..<6 {
            try storage.store(value: .blob(seed), forKey: "\(seed)", expiration: seed < 3 ? .days(1) : .days(9))
        }
        storage.store.housekeepingWait()
        let disorder = Disorder(storage: storage)
        switch operation {
        case .openOverLeftovers: try disorder.leaveCrashes()
        case .repair: try disorder.damage()
        default: break
        }
        storage.store.close()
        switch operation {
        case .migrate: try disorder.replaceIndexByOldest()
        case .adopt: try FileManager.default.removeItem(atPath: disorder.blobs.metadataDirectory)
        default: break
        }
    }

    /// A copy of the folder. Its blobs are hard links, so they keep their inode numbers.
    func copy() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        let files = FileManager.default
        guard let names = files.enumerator(atPath: template.url.path) else { throw CocoaError(.fileReadUnknown) }
        for case let name as String in names {
            let (source, target) = ("\(template.url.path)/\(name)", "\(copy.url.path)/\(name)")
            if name.contains("index.sqlite") {
                try files.copyItem(atPath: source, toPath: target)
                if name.hasSuffix("index.sqlite") { try Self.makeAtHome(target) }
            } else if try files.attributesOfItem(atPath: source)[.type] as? FileAttributeType == .typeDirectory {
                try files.createDirectory(atPath: target, withIntermediateDirectories: true)
            } else {
                try POSIXFileSystem().link(source, to: target)
            }
        }
        return copy
    }

    /// The index must not notice the copy, or it would accept changed blobs.
    private static func makeAtHome(_ index: String) throws {
        let inode = try POSIXFileSystem().status(at: index).inode
        let connection = try Connection(path: index)
        try connection.execute("PRAGMA synchronous = OFF; UPDATE state SET index_inode = \(inode)")
    }
}

/// The state of a folder that an operation has to cope with.
private struct Disorder {
    let storage: DiskStorage.Backend<Data>
    var blobs: BlobStore { storage.store.blobs }
    private var system: POSIXFileSystem { POSIXFileSystem() }

    private func name(_ key: String) -> BlobName { BlobName(text: storage.cacheFileName(forKey: key)) }

    private func entry(_ key: String) throws -> Entry {
        guard let entry = try storage.store.index.read({ try $0.entry(named: name(key)) }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return entry
    }

    /// A removal, an overwrite by exchange and one by rename without the commits of their rows, and the leftovers of a store and of an
    /// unlink.
    func leaveCrashes() throws {
        let removed = try entry("0")
        try system.rename(blobs.path(of: removed.name), to: path(.trash, removed.id, removed.token))
        let exchanged = try entry("1")
        try write(77, to: path(.staging, exchanged.id, 5), datedAs: exchanged)
        try system.exchange(blobs.path(of: exchanged.name), path(.staging, exchanged.id, 5))
        let replaced = try entry("2")
        try system.link(blobs.path(of: replaced.name), to: path(.trash, replaced.id, replaced.token))
        try write(78, to: blobs.path(of: replaced.name), datedAs: replaced)
        try Data.blob(79).write(to: URL(fileURLWithPath: path(.staging, 9, 9)))
        try Data.blob(80).write(to: URL(fileURLWithPath: path(.trash, 10, 10)))
    }

    /// Replaces a file by one with the tag of an entry, as it happens one time in a thousand.
    private func write(_ seed: Int, to path: String, datedAs entry: Entry) throws {
        let file = try #require(try blobs.status(of: entry.name))
        try Data.blob(seed).write(to: URL(fileURLWithPath: path), options: .atomic)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try system.setModified(file.modified, microseconds: file.modifiedMicroseconds, of: handle.fileDescriptor)
        try handle.close()
    }

    /// A file without a row, a row without a file, a leftover, and wrong totals.
    func damage() throws {
        try storage.store(value: .blob(60), forKey: "6")
        try FileManager.default.removeItem(at: storage.cacheFileURL(forKey: "6"))
        try Data.blob(81).write(to: storage.cacheFileURL(forKey: "nobody's"))
        try Data.blob(80).write(to: URL(fileURLWithPath: path(.trash, 10, 10)))
        try storage.store.index.write { try $0.connection.execute("UPDATE totals SET bytes = 7, entries = 70") }
    }

    private func path(_ place: DetachedBlob.Place, _ id: Int64, _ token: Int64) -> String {
        blobs.path(of: DetachedBlob(place: place, rowID: id, token: token))
    }

    /// The index as version 1 left it, with the same rows.
    func replaceIndexByOldest() throws { try OlderIndex.make(version: 1, at: blobs.indexPath) }
}
