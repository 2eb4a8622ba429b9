import BenchReport
import CBareJPEG
import Foundation
import Halcyon

#if os(Linux)
    /// A photo of twelve million pixels on its way from the network: decoded into memory, its original bytes to disk; beside
    /// libjpeg-turbo alone, which stores nothing.
    struct DecodeOperation {
        let volume: Volume

        static let names = ["decode_and_store", "decode_peak_memory"]

        private static let width = 4_000
        private static let height = 3_000

        struct Failure: Error {
            let description: String
        }

        func rows() throws -> [ResultRow] {
            Progress.say("\(volume.name): a photo of 12 million pixels")
            let photo = try Self.photo()
            let cache = try makeCache()
            var outcome = Outcome()
            for round in 0..<7 {
                let ours = try microseconds { try decodeAndStore(photo, in: cache, key: "\(round)") }
                cache.clearMemoryCache()
                outcome[.halcyon].add([ours])
                outcome[.limit].add([microseconds { decodeBare(photo) }])
            }
            return [timeRow(outcome, photo), try peakRow(photo, in: cache)].compactMap { $0 }
        }

        private func timeRow(_ outcome: Outcome, _ photo: Data) -> ResultRow? {
            guard let figure = Figure(outcome[.halcyon]) else { return nil }
            var row = ResultRow("decode_and_store", on: volume.kind, bytes: photo.count, halcyon: figure)
            row.limit = Figure(outcome[.limit])
            row.limitName = "libjpeg-turbo, decoding alone"
            row.target = .ratio(1.05)
            return row
        }

        /// A second bitmap at any moment would show.
        private func peakRow(_ photo: Data, in cache: ImageCache) throws -> ResultRow? {
            let before = Memory.resident
            Memory.resetPeak()
            try decodeAndStore(photo, in: cache, key: "peak")
            cache.clearMemoryCache()
            let growth = Double(Memory.peak - before)
            var row = ResultRow("decode_peak_memory", on: volume.kind, bytes: photo.count, halcyon: Figure(growth))
            row.unit = .bytes
            row.limit = Figure(Double(Self.width * Self.height * 4))
            row.limitName = "the bitmap"
            row.target = .ratio(1.25)
            return row
        }

        private func makeCache() throws -> ImageCache {
            let folder = volume.folder.appendingPathComponent("photos")
            return ImageCache(
                memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 0, cleanInterval: 0)),
                diskStorage: try DiskStorage.Backend(config: HalcyonCache.config(folder)))
        }

        /// What a downloader does with what it has got.
        private func decodeAndStore(_ photo: Data, in cache: ImageCache, key: String) throws {
            guard let image = KFCrossPlatformImage(data: photo) else { throw Failure(description: "no image") }
            var serializer = DefaultCacheSerializer()
            serializer.preferCacheOriginalData = true
            let stored = DispatchSemaphore(value: 0)
            cache.store(image.kf.decoded, original: photo, forKey: key, cacheSerializer: serializer) { _ in
                stored.signal()
            }
            stored.wait()
        }

        private func decodeBare(_ photo: Data) {
            var (width, height): (UInt32, UInt32) = (0, 0)
            let pixels = photo.withUnsafeBytes { bytes in
                bare_jpeg_decode(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &width, &height)
            }
            require(pixels != nil && width == Self.width && height == Self.height)
            free(pixels)
        }

        /// Gradients with some grain, so that it compresses about as a photo does.
        private static func photo() throws -> Data {
            var pixels = [UInt8](repeating: 255, count: width * height * 4)
            var randomness = Randomness()
            for y in 0..<height {
                for x in 0..<width {
                    let place = (y * width + x) * 4
                    let grain = UInt8(truncatingIfNeeded: randomness.next() & 15)
                    pixels[place] = UInt8(truncatingIfNeeded: x * 200 / width) &+ grain
                    pixels[place + 1] = UInt8(truncatingIfNeeded: y * 200 / height) &+ grain
                    pixels[place + 2] = UInt8(truncatingIfNeeded: (x ^ y) >> 5) &+ grain
                }
            }
            guard
                let photo = HalcyonImage(rgba: pixels, width: width, height: height)?.jpegData(compressionQuality: 0.85)
            else { throw Failure(description: "no JPEG") }
            return photo
        }
    }
#else
    /// Elsewhere the system decodes.
    struct DecodeOperation {
        let volume: Volume

        static let names: [String] = []

        func rows() throws -> [ResultRow] { [] }
    }
#endif
