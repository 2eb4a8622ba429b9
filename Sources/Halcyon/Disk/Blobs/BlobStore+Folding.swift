internal import Foundation

/// Volumes that ignore case or Unicode form in names, like those of macOS.
///
/// There, two such names refer to one file. So a blob has its key as its name only if no other name folds into that one; otherwise
/// its name is a hash. Version 0.1.0 used the other names too, so a file found under one of them may be another key's.
extension BlobStore {
    /// Determined once, by looking for `.halcyon` under another name. Its inode number says nothing: exFAT in user space has one for
    /// each spelling.
    package var foldsNames: Bool {
        if let known = folding.withLock({ $0 }) { return known }
        do throws(SystemError) {
            guard try status(at: metadataDirectory) != nil else { return try foldsNamesAbove() }
            let folds = try status(at: "\(directory)/\(Self.metadataFolder.uppercased())") != nil
            folding.withLock { $0 = folds }
            return folds
        } catch {
            // If the directory cannot be examined, nothing can be stored in it.
            return false
        }
    }

    /// Until the directory exists: uses the name of its deepest existing ancestor that has letters.
    private func foldsNamesAbove() throws(SystemError) -> Bool {
        var path = directory
        while path.utf8.count > 1 {
            let (parent, name) = (Self.parent(of: path), (path as NSString).lastPathComponent)
            let other = name.withCaseSwapped
            if other != name, let file = try status(at: path) { return try isThere(file, parent, other) }
            path = parent
        }
        return false
    }

    private func isThere(_ file: FileStatus, _ folder: String, _ name: String) throws(SystemError) -> Bool {
        let found = try status(at: folder == "/" ? "/\(name)" : "\(folder)/\(name)")
        return found.map { $0.inode == file.inode && $0.device == file.device } ?? false
    }

    /// Whether other names may refer to the file under this name.
    func isAmbiguous(_ name: BlobName) -> Bool { !name.isHash && foldsNames }

    /// Returns a listed name in the form of a key's.
    func composed(_ listed: String) -> String {
        guard listed.utf8.contains(where: { $0 >= 0x80 }), mayListDecomposed else { return listed }
        return listed.precomposedStringWithCanonicalMapping
    }

    /// HFS+ lists all names decomposed, and Foundation decomposes those that it writes on Apple's systems, also on a volume that
    /// distinguishes case, as that of iOS does.
    private var mayListDecomposed: Bool {
        #if canImport(Darwin)
            true
        #else
            foldsNames
        #endif
    }

    /// Whether a file found under a name has exactly this name. O(files) if it may have another one.
    func isListed(_ name: BlobName) throws -> Bool {
        guard isAmbiguous(name) else { return true }
        var isFound = false
        try forEachName { listed in
            isFound = composed(listed).utf8.elementsEqual(name.text.utf8)
            return !isFound
        }
        return isFound
    }
}

extension String {
    /// Swaps the case of ASCII letters.
    fileprivate var withCaseSwapped: String {
        let swapped = utf8.map { byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            return isLetter ? byte ^ 0x20 : byte
        }
        return String(decoding: swapped, as: UTF8.self)
    }
}
