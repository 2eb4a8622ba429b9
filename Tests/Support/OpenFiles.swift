#if os(Linux)
    package import Foundation

    /// Files under a folder that this process has open, by the kernel's word.
    package func openFiles(under folder: URL) throws -> [String] {
        let descriptors = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors)
            // One that was closed meanwhile has no destination any more.
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)") }
            .filter { $0.hasPrefix(folder.path) }
    }
#endif
