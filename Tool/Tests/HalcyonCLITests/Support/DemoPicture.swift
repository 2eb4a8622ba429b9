import Foundation

/// The bytes of a file in `Demo/Pictures`.
func demoPicture(_ name: String) throws -> Data {
    try Data(
        contentsOf: URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Demo/Pictures/\(name)")
            .standardizedFileURL)
}
