package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// A folder on a disk whose power can fail, for blobs and index alike.
///
/// All calls work on a real folder and are recorded in a ``DiskHistory``. After a power failure each call fails, until ``restore(_:)``
/// makes the folder what a ``PowerCut`` has left of it. Files keep their inode numbers, as on a real disk: a hard link outside the folder
/// keeps each inode.
package final class PowerCutDisk: Sendable {
    let root: String
    private let graveyard: String
    let base = POSIXFileSystem()
    private let clock: ManualClock
    private let state: Locked<State>

    struct State {
        var history: DiskHistory
        /// The contents as the running processes see them, names only.
        var current: DiskImage
        var nodes: [UInt64: DiskHistory.Node] = [:]
        /// The time that the kernel records when a file is written, renamed or linked.
        var changedAt: [DiskHistory.Node: Timestamp] = [:]
        var nodeCount = 0
        /// Calls that still succeed before the power fails; nil if it does not.
        var callsLeft: Int?
        var calls = 0
        var isOff = false
        /// A process from before the last power cut does not continue after it.
        var life = 0
        /// One per life, because SQLite uses them to the end.
        var systems: [FaultyVFS] = []
    }

    package struct NoPower: Error {}

    package init(_ folder: TemporaryFolder, clock: ManualClock) throws {
        root = folder.url.appendingPathComponent("disk").path
        graveyard = folder.url.appendingPathComponent("inodes").path
        self.clock = clock
        var image = DiskImage()
        image.directories = [root]
        state = Locked(State(history: DiskHistory(base: image), current: image))
        for path in [root, graveyard] { try base.makeDirectory(path, isPrivate: true) }
        beginLife()
    }

    private func beginLife() {
        let life = state.withLock { $0.life }
        let vfs = FaultyVFS()
        vfs.observe { [weak self] event in self?.observe(event, life: life) ?? Self.ioError }
        state.withLock { $0.systems.append(vfs) }
    }

    package var directory: URL { URL(fileURLWithPath: root, isDirectory: true) }
    /// The file systems of the processes in this life.
    package var fileSystem: any FileSystem { PowerCutFileSystem(disk: self, life: state.withLock { $0.life }) }
    package var vfs: String? { state.withLock { $0.systems.last?.name } }

    /// Calls so far that changed or read something.
    package var calls: Int { state.withLock { $0.calls } }
    package var isOff: Bool { state.withLock { $0.isOff } }

    /// Cuts the power after that many calls; nil for never.
    package func cutPower(afterCalls count: Int?) { state.withLock { $0.callsLeft = count } }

    /// Everything in the directory now is on the disk. None of its files may be open.
    package func takeStock() throws {
        try state.withLock { state in
            var image = DiskImage()
            image.directories = [root]
            for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
                try note("\(root)/\(name)", in: &image, &state)
            }
            state.begin(with: image)
        }
    }

    private func note(_ path: String, in image: inout DiskImage, _ state: inout State) throws {
        let status = try base.status(at: path)
        guard status.kind == .regular else {
            image.directories.insert(path)
            return
        }
        let node = try state.nodes[status.inode] ?? hold(path, status, &state)
        image.names[path] = node
        image.files[node] = DiskImage.File(
            bytes: try Data(contentsOf: URL(fileURLWithPath: path)), modified: status.modified,
            microseconds: status.modifiedMicroseconds)
    }

    /// A hard link to a new file, so that no other file gets its inode.
    private func hold(_ path: String, _ status: FileStatus, _ state: inout State) throws -> DiskHistory.Node {
        let node = state.nodeCount
        state.nodeCount += 1
        state.nodes[status.inode] = node
        state.changedAt[node] = clock.now
        try base.link(path, to: self.path(of: node))
        return node
    }

    // MARK: What the file systems tell

    /// False if the power is off.
    func allows(_ life: Int) -> Bool {
        state.withLock { state in
            guard state.life == life else { return false }
            state.calls += 1
            if let left = state.callsLeft {
                state.callsLeft = left - 1
                if left <= 0 { state.isOff = true }
            }
            return !state.isOff
        }
    }

    func note(_ change: DiskHistory.Change, ofFileWith inode: UInt64) {
        state.withLock { state in
            guard let node = state.nodes[inode] else { return }
            state.note(change, of: node, at: clock.now)
        }
    }

    /// Changes names and records the change, as one step.
    func change<Failure: Error>(
        _ make: () throws(Failure) -> Void, noting naming: (DiskImage) -> DiskHistory.Naming?
    ) throws(Failure) {
        let result = state.withLock { state in
            Result { () throws(Failure) in
                try make()
                if let naming = naming(state.current) { state.note(naming, at: clock.now) }
            }
        }
        try result.get()
    }

    /// Records a new file, and keeps its inode.
    func noteCreation(at path: String) {
        state.withLock { state in
            guard state.current.names[path] == nil, let status = try? base.status(at: path),
                let node = try? hold(path, status, &state)
            else {
                return
            }
            state.note(.create(path, node), at: clock.now)
            // Two files never have the same creation time, so their order is known.
            clock.advance(by: 0.001)
        }
    }

    private func path(of node: DiskHistory.Node) -> String { "\(graveyard)/\(node)" }

    /// A status with the times of the model in place of the kernel's.
    func seen(_ status: FileStatus) -> FileStatus {
        var status = status
        status.changed =
            state.withLock { state in state.nodes[status.inode].flatMap { state.changedAt[$0] } } ?? clock.now
        // The extra hard link belongs to the model.
        status.links = max(1, status.links - 1)
        return status
    }

    // MARK: What SQLite does

    private func observe(_ event: FaultyVFS.Event, life: Int) -> Int32 {
        guard event.isAfter else { return allows(life) ? 0 : Self.ioError }
        guard let path = event.path else { return 0 }
        switch event.call {
        case .open: noteCreation(at: path)
        case .write: note(.write(offset: Int(event.offset), Data(event.bytes)), ofFileAt: path)
        case .truncate: note(.truncate(count: Int(event.offset)), ofFileAt: path)
        case .sync: note(.synchronize, ofFileAt: path)
        case .delete: noteDeletion(of: path, isSynchronized: event.isSynchronized)
        default: break
        }
        return 0
    }

    /// SQLITE_IOERR.
    private static let ioError: Int32 = 10

    /// SQLite reports files by name; no name is given to another file meanwhile.
    private func note(_ change: DiskHistory.Change, ofFileAt path: String) {
        state.withLock { state in
            guard let node = state.current.names[path] else { return }
            state.note(change, of: node, at: clock.now)
        }
    }

    private func noteDeletion(of path: String, isSynchronized: Bool) {
        state.withLock { state in
            guard let node = state.current.names[path] else { return }
            state.note(.unlink(path, node), at: clock.now, isSynchronized: isSynchronized)
        }
    }

    // MARK: After the cut

    /// Makes the folder what has survived, which is then on the disk, and switches the power on. No file of it may be open.
    package func restore(_ cut: PowerCut, using generator: inout SeededGenerator) throws {
        let image = state.withLock { cut.survivors(of: $0.history, using: &generator) }
        try FileManager.default.removeItem(atPath: root)
        for path in image.directories.sorted() { try base.makeDirectory(path, isPrivate: true) }
        for (node, file) in image.files { try write(file, to: path(of: node), using: &generator) }
        for (path, node) in image.names { try base.link(self.path(of: node), to: path) }
        try forgetFiles(notIn: image)
        state.withLock { state in
            state.begin(with: image)
            state.life += 1
        }
        beginLife()
    }

    private func write(_ file: DiskImage.File, to path: String, using generator: inout SeededGenerator) throws {
        // In place, so that the file keeps its inode.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: file.bytes)
        let microseconds = file.modified == nil ? Int.random(in: 0...999, using: &generator) : file.microseconds
        try base.setModified(file.modified ?? clock.now, microseconds: microseconds, of: handle.fileDescriptor)
    }

    /// A file without references frees its inode number, as on a disk.
    private func forgetFiles(notIn image: DiskImage) throws {
        try state.withLock { state in
            for (inode, node) in state.nodes where image.files[node] == nil {
                try base.unlink(path(of: node))
                state.nodes[inode] = nil
                state.changedAt[node] = nil
            }
        }
    }
}

extension PowerCutDisk.State {
    /// The power is on, and the disk has nothing left to write.
    mutating func begin(with image: DiskImage) {
        history = DiskHistory(base: image)
        current = image
        callsLeft = nil
        isOff = false
    }

    mutating func note(_ naming: DiskHistory.Naming, at time: Timestamp, isSynchronized: Bool = false) {
        if case .makeDirectory(let path) = naming { noteMissingParent(of: path, at: time) }
        naming.apply(to: &current)
        for node in naming.nodes { changedAt[node] = time }
        history.note(naming, at: time, isSynchronized: isSynchronized)
    }
    mutating func note(_ change: DiskHistory.Change, of node: DiskHistory.Node, at time: Timestamp) {
        history.note(change, of: node, at: time)
        if case .synchronize = change { return }
        changedAt[node] = time
    }

    /// FileManager creates the cache's own folder.
    private mutating func noteMissingParent(of path: String, at time: Timestamp) {
        let parent = DiskImage.parent(of: path)
        if !current.directories.contains(parent) { note(.makeDirectory(parent), at: time) }
    }
}
