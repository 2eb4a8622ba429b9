#if os(Linux)
    package import Foundation

    /// The files below a folder that this process has open, as the kernel reports them.
    package func openFiles(under folder: URL) throws -> [String] {
        let descriptors = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors)
            // A descriptor that was closed meanwhile has no destination.
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)") }
            .filter { $0.hasPrefix(folder.path) }
    }
#endif
