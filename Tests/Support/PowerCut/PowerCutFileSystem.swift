package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// The blob store's side of a ``PowerCutDisk``.
package struct PowerCutFileSystem: FileSystem {
    let disk: PowerCutDisk
    let life: Int

    private var base: POSIXFileSystem { disk.base }

    private func requirePower(_ call: String) throws(SystemError) {
        guard disk.allows(life) else { throw SystemError(call, EIO) }
    }

    // MARK: Names

    package func makeDirectory(_ path: String, isPrivate: Bool) throws(SystemError) {
        try requirePower("mkdir")
        try disk.change { () throws(SystemError) in
            try base.makeDirectory(path, isPrivate: isPrivate)
        } noting: { _ in
            .makeDirectory(path)
        }
    }

    /// Permissions are not part of the model.
    package func makePrivate(_ path: String) throws(SystemError) {
        try requirePower("fchmodat")
        try base.makePrivate(path)
    }

    package func protect(_ path: String, as protection: FileProtectionType) throws(SystemError) {
        try requirePower("setAttributes")
        try base.protect(path, as: protection)
    }

    package func createFile(_ path: String) throws(SystemError) -> FileDescriptor {
        try requirePower("open")
        let file = try base.createFile(path)
        disk.noteCreation(at: path)
        return file
    }

    package func rename(_ source: String, to target: String) throws(SystemError) {
        try requirePower("rename")
        try disk.change { () throws(SystemError) in
            try base.rename(source, to: target)
        } noting: { image in
            image.names[source].map { .rename(source, to: target, $0) }
        }
    }

    package func exchange(_ first: String, _ second: String) throws(SystemError) {
        try requirePower("renameat2")
        try disk.change { () throws(SystemError) in
            try base.exchange(first, second)
        } noting: { image in
            guard let one = image.names[first], let other = image.names[second] else { return nil }
            return .exchange(first, one, second, other)
        }
    }

    package func link(_ existing: String, to new: String) throws(SystemError) {
        try requirePower("link")
        try disk.change { () throws(SystemError) in
            try base.link(existing, to: new)
        } noting: { image in
            image.names[existing].map { .create(new, $0) }
        }
    }

    package func unlink(_ path: String) throws(SystemError) {
        try requirePower("unlink")
        try disk.change { () throws(SystemError) in
            try base.unlink(path)
        } noting: { image in
            image.names[path].map { .unlink(path, $0) }
        }
    }

    package func removeDirectory(_ path: String) throws(SystemError) {
        try requirePower("rmdir")
        try disk.change { () throws(SystemError) in
            try base.removeDirectory(path)
        } noting: { _ in
            .removeDirectory(path)
        }
    }

    // MARK: Contents

    package func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        try requirePower("write")
        let offset = Int(lseek(file, 0, SEEK_CUR))
        let count = try base.write(file, bytes)
        disk.note(.write(offset: offset, Data(bytes.prefix(count))), ofFileWith: try base.status(of: file).inode)
        return count
    }

    package func setModified(_ time: Timestamp, microseconds: Int, of file: FileDescriptor) throws(SystemError) {
        try requirePower("futimens")
        try base.setModified(time, microseconds: microseconds, of: file)
        disk.note(.setModified(time, microseconds: microseconds), ofFileWith: try base.status(of: file).inode)
    }

    // MARK: Looking

    package func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
        try requirePower("open")
        return try base.openForReading(path)
    }

    package func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try requirePower("read")
        return try base.read(file, into: buffer)
    }

    package func close(_ file: FileDescriptor) { base.close(file) }
    package func closeWritten(_ file: FileDescriptor) throws(SystemError) { try base.closeWritten(file) }

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        try requirePower("fstat")
        return disk.seen(try base.status(of: file))
    }

    package var now: Timestamp { base.now }

    package func status(at path: String) throws(SystemError) -> FileStatus {
        try requirePower("lstat")
        return disk.seen(try base.status(at: path))
    }

    package func list(_ path: String, _ body: (String) throws -> Bool) throws {
        try requirePower("opendir")
        try base.list(path, body)
    }

    package func volume(at path: String) throws(SystemError) -> Volume {
        try requirePower("statfs")
        return try base.volume(at: path)
    }

    package func freeBytes(at path: String) throws(SystemError) -> Int64 {
        try requirePower("statvfs")
        return try base.freeBytes(at: path)
    }
}
