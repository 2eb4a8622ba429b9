// The declarations that the documentation's samples assume. `Scripts/docs` compiles each sample together with this file, and samples about
// Kingfisher with Kingfisher.swift as well. It never runs them.
import Foundation
import Halcyon

// The app's own declarations.
var url: URL { fatalError() }
var key: String { fatalError() }
var etag: String? { fatalError() }
var data: Data { fatalError() }
var png: Data { fatalError() }
var json: Data { fatalError() }
var image: KFCrossPlatformImage { fatalError() }
var thumbnail: KFCrossPlatformImage { fatalError() }
func show(_ image: KFCrossPlatformImage?, from type: CacheType = .none) { fatalError() }
func download(_ url: URL) async throws -> Data { fatalError() }
func download(_ url: URL, ifNoneMatch etag: String?) async throws -> (Data, HTTPFreshness) { fatalError() }
func respond(with data: Data, etag: String?) { fatalError() }
func send(_ chunk: Data) { fatalError() }
var headers: [(name: String, value: String)] { fatalError() }
var response: HTTPFreshness { fatalError() }
var sent: Date { fatalError() }
struct ImageUnreadable: Error {}
struct NoSuchPicture: Error {}
func report(_ error: any Error) { fatalError() }

var parent: URL { fatalError() }
var oldFolder: URL { fatalError() }
var newFolder: URL { fatalError() }

struct Picture: CacheCostCalculable {
    let cacheCost: Int
}
var picture: Picture { fatalError() }

/// A decoder of the app's own.
enum AVIFDecoder {
    static func recognizes(_ data: Data) -> Bool { fatalError() }
    static func decode(_ data: Data) -> (bytes: [UInt8], width: Int, height: Int)? { fatalError() }
}

// Created in an earlier sample of the same page.
var cache: ImageCache { fatalError() }
var storage: DiskStorage.Backend<Data> { fatalError() }
var progress: Progress { fatalError() }

struct Tour {
    let pictures: [URL]
}
var tour: Tour { fatalError() }

#if !canImport(Darwin)
    extension FileManager {
        // Foundation on Linux has no app groups.
        func containerURL(forSecurityApplicationGroupIdentifier: String) -> URL? { fatalError() }
    }
#endif
