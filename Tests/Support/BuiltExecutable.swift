package import Foundation

/// A program of this package, in the folder of the test bundle.
package enum BuiltExecutable {
    private final class Marker {}

    package static func named(_ name: String) throws -> URL {
        var folder = Bundle(for: Marker.self).bundleURL
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
