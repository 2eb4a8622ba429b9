package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// A file system that folds names that differ only in case or Unicode form, and keeps the name that a file was created with, as APFS and
/// HFS+ do on macOS. It also removes dots at the end of names, as FAT does.
package struct FoldingFileSystem: FileSystem {
    private let base: any FileSystem
    /// HFS+ lists names decomposed.
    private let decomposesNames: Bool

    package init(base: any FileSystem = POSIXFileSystem(), decomposesNames: Bool = false) {
        self.base = base
        self.decomposesNames = decomposesNames
    }

    /// The common form of all names that lead to one file.
    private static func fold(_ name: String) -> [UInt8] {
        let bytes = name.decomposedStringWithCanonicalMapping.uppercased().lowercased().utf8
        return bytes.reversed().drop { $0 == UInt8(ascii: ".") }.reversed()
    }

    /// The path of the existing file under another name; otherwise the same path.
    private func actual(_ path: String) -> String {
        // The library's own files always have the same name.
        guard (try? base.status(at: path)) == nil else { return path }
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let folded = Self.fold(name)
        var found: String?
        try? base.list(folder) { other in
            if Self.fold(other) == folded { found = other }
            return found == nil
        }
        return found.map { (folder as NSString).appendingPathComponent($0) } ?? path
    }

    package func makeDirectory(_ path: String, isPrivate: Bool) throws(SystemError) {
        try base.makeDirectory(actual(path), isPrivate: isPrivate)
    }

    package func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
        try base.openForReading(actual(path))
    }

    package func createFile(_ path: String) throws(SystemError) -> FileDescriptor {
        try base.createFile(actual(path))
    }

    package func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try base.read(file, into: buffer)
    }

    package func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        try base.write(file, bytes)
    }

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus { try base.status(of: file) }

    package func status(at path: String) throws(SystemError) -> FileStatus { try base.status(at: actual(path)) }

    package func setModified(_ time: Timestamp, microseconds: Int, of file: FileDescriptor) throws(SystemError) {
        try base.setModified(time, microseconds: microseconds, of: file)
    }

    package func makePrivate(_ path: String) throws(SystemError) { try base.makePrivate(actual(path)) }
    package func protect(_ path: String, as protection: FileProtectionType) throws(SystemError) {
        try base.protect(actual(path), as: protection)
    }
    package func close(_ file: FileDescriptor) { base.close(file) }
    package func closeWritten(_ file: FileDescriptor) throws(SystemError) { try base.closeWritten(file) }

    /// A replaced file's name stays for the new one.
    package func rename(_ source: String, to target: String) throws(SystemError) {
        try base.rename(actual(source), to: actual(target))
    }

    package func exchange(_ first: String, _ second: String) throws(SystemError) {
        try base.exchange(actual(first), actual(second))
    }

    package func link(_ existing: String, to new: String) throws(SystemError) {
        try base.link(actual(existing), to: actual(new))
    }

    package func unlink(_ path: String) throws(SystemError) { try base.unlink(actual(path)) }
    package func removeDirectory(_ path: String) throws(SystemError) { try base.removeDirectory(actual(path)) }

    package func list(_ path: String, _ body: (String) throws -> Bool) throws {
        try base.list(actual(path)) { name in
            try body(decomposesNames ? name.decomposedStringWithCanonicalMapping : name)
        }
    }

    package func volume(at path: String) throws(SystemError) -> Volume { try base.volume(at: actual(path)) }
    package var now: Timestamp { base.now }
    package func freeBytes(at path: String) throws(SystemError) -> Int64 { try base.freeBytes(at: actual(path)) }
}
