package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// The ordered requests to a disk since a moment at which it was up to date: the memory of a model disk.
///
/// A node is the contents of a file, under any name. These are values: what survives a power cut is computed.
package struct DiskHistory: Sendable {
    package typealias Node = Int

    /// A change of one file's contents or times.
    package enum Change: Sendable {
        case write(offset: Int, Data)
        case truncate(count: Int)
        case setModified(Timestamp, microseconds: Int)
        /// All earlier requests for the node, including its name, are on the disk now.
        case synchronize
    }

    /// A change of names in folders, with the nodes of those names.
    package enum Naming: Sendable {
        case create(String, Node)
        case rename(String, to: String, Node)
        case exchange(String, Node, String, Node)
        case unlink(String, Node)
        case makeDirectory(String)
        case removeDirectory(String)
    }

    struct Event<Content: Sendable>: Sendable {
        let at: Timestamp
        let content: Content
        /// The process waited until the disk had it.
        var isSynchronized = false
    }

    /// The contents of the disk at the beginning.
    let base: DiskImage
    private(set) var changes: [Node: [Event<Change>]] = [:]
    private(set) var namings: [Event<Naming>] = []

    package init(base: DiskImage = DiskImage()) { self.base = base }

    package mutating func note(_ change: Change, of node: Node, at time: Timestamp) {
        changes[node, default: []].append(Event(at: time, content: change))
        guard case .synchronize = change else { return }
        for index in namings.indices where namings[index].content.nodes.contains(node) {
            namings[index].isSynchronized = true
        }
    }

    package mutating func note(_ naming: Naming, at time: Timestamp, isSynchronized: Bool = false) {
        namings.append(Event(at: time, content: naming, isSynchronized: isSynchronized))
    }
}

extension DiskHistory.Naming {
    var nodes: [DiskHistory.Node] {
        switch self {
        case .create(_, let node), .rename(_, _, let node), .unlink(_, let node): [node]
        case .exchange(_, let first, _, let second): [first, second]
        case .makeDirectory, .removeDirectory: []
        }
    }

    /// Changes names, as far as they still belong to the same nodes.
    func apply(to image: inout DiskImage) {
        switch self {
        case .create(let path, let node): image.names[path] = node
        case .rename(let source, let target, let node):
            if image.names[source] == node { image.names[source] = nil }
            image.names[target] = node
        case .exchange(let first, let firstNode, let second, let secondNode):
            image.names[first] = secondNode
            image.names[second] = firstNode
        case .unlink(let path, let node):
            if image.names[path] == node { image.names[path] = nil }
        case .makeDirectory(let path): image.directories.insert(path)
        case .removeDirectory(let path): image.directories.remove(path)
        }
    }
}

/// The contents of a disk.
package struct DiskImage: Sendable {
    package struct File: Equatable, Sendable {
        package var bytes = Data()
        /// nil if it was not set.
        package var modified: Timestamp?
        package var microseconds = 0

        package init(bytes: Data = Data(), modified: Timestamp? = nil, microseconds: Int = 0) {
            self.bytes = bytes
            self.modified = modified
            self.microseconds = microseconds
        }
    }

    package var names: [String: DiskHistory.Node] = [:]
    package var directories: Set<String> = []
    package var files: [DiskHistory.Node: File] = [:]

    package init() {}
}

extension DiskImage.File {
    mutating func apply(_ change: DiskHistory.Change) {
        switch change {
        case .write(let offset, let data): write(data, at: offset)
        case .truncate(let count): resize(to: count)
        case .setModified(let time, let microseconds): (modified, self.microseconds) = (time, microseconds)
        case .synchronize: break
        }
    }

    mutating func write(_ data: Data, at offset: Int) {
        if bytes.count < offset + data.count { resize(to: offset + data.count) }
        bytes.replaceSubrange(offset..<(offset + data.count), with: data)
    }

    /// New bytes are zeros, as in a file with a hole.
    mutating func resize(to count: Int) {
        if count < bytes.count {
            bytes.removeLast(bytes.count - count)
        } else {
            bytes.append(Data(count: count - bytes.count))
        }
    }
}
