internal import Foundation

/// Volumes that take names for one another which differ in case or Unicode form, as those of macOS do.
///
/// Two such names lead to one file there. So a blob is named by its key only if no other name folds into that one, and else by a hash.
/// What 0.1.0 stored has the other names still: what is found under one of them may be somebody else's.
extension BlobStore {
    /// Found out once, by looking for our own folder under another name.
    package var foldsNames: Bool {
        if let known = folding.withLock({ $0 }) { return known }
        do throws(SystemError) {
            guard let folder = try status(at: metadataDirectory) else { return try foldsNamesAbove() }
            let folds = try isThere(folder, directory, Self.metadataFolder.uppercased())
            folding.withLock { $0 = folds }
            return folds
        } catch {
            // What cannot be looked at cannot be stored in either.
            return false
        }
    }

    /// Until there is a folder: by the name of the deepest one above it that has letters.
    private func foldsNamesAbove() throws(SystemError) -> Bool {
        var path = directory
        while path.utf8.count > 1 {
            let (parent, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
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

    /// Whether a file under a name may be what other names stand for.
    func isAmbiguous(_ name: BlobName) -> Bool { !name.isHash && foldsNames }

    /// A listed name as a key's would be: HFS+ lists names decomposed, whatever they were made with.
    func composed(_ listed: String) -> String {
        guard listed.utf8.contains(where: { $0 >= 0x80 }), foldsNames else { return listed }
        return listed.precomposedStringWithCanonicalMapping
    }

    /// Whether a file that is found under a name has this very name. Where it may have another one, O(files).
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
    /// Of ASCII letters.
    fileprivate var withCaseSwapped: String {
        let swapped = utf8.map { byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            return isLetter ? byte ^ 0x20 : byte
        }
        return String(decoding: swapped, as: UTF8.self)
    }
}
