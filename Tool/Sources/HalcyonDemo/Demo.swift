import Foundation
import Halcyon

/// One step of the demo, in its own process: what an app does with `ImageCache`, with real images.
///
///     halcyon-demo store|read|variants|trim CACHE PICTURE…
@main
struct Demo {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 3, let step = steps[arguments[1]] else {
            stop("Usage: halcyon-demo \(steps.keys.sorted().joined(separator: "|")) CACHE PICTURE…", status: 64)
        }
        do {
            let folder = URL(fileURLWithPath: arguments[2], isDirectory: true)
            let cache = try ImageCache(name: "demo", cacheDirectoryURL: nil) { _, _ in folder }
            let pictures = try arguments[3...].map(Picture.init)
            print(try await step(cache, pictures))
        } catch {
            stop("\(error)", status: 1)
        }
    }

    typealias Step = @Sendable (ImageCache, [Picture]) async throws -> String

    static let steps: [String: Step] = ["store": store, "read": read, "variants": variants, "trim": trim]

    static func stop(_ message: String, status: Int32) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("\(message)\n".utf8))
        exit(status)
    }
}

/// A file that the app has downloaded.
struct Picture: Sendable {
    let key: String
    let data: Data

    init(path: String) throws {
        let url = URL(fileURLWithPath: path)
        key = url.lastPathComponent
        data = try Data(contentsOf: url)
    }

    func image() throws -> KFCrossPlatformImage {
        guard let image = KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: .init()) else {
            throw Surprise("\(key) is not an image.")
        }
        return image
    }
}

/// An unexpected result.
struct Surprise: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Surprise(message()) }
}
