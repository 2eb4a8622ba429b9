import BenchReport
import Foundation
import Halcyon

#if os(Linux)
    /// A downloaded photo of twelve million pixels: decoded into memory, with its original bytes stored on disk. Compared with
    /// libjpeg-turbo alone, which stores nothing.
    struct DecodeOperation {
        let volume: Volume

        static let names = [
            "decode_and_store", "decode_turned", "decode_peak_memory", "thumbnail",
        ]

        private static let width = 4_000
        private static let height = 3_000

        func rows() throws -> [ResultRow] {
            Progress.say("\(volume.name): a photo of 12 million pixels")
            let photo = try Photo.jpeg(width: Self.width, height: Self.height)
            let cache = try HalcyonCache(folder: volume.folder.appendingPathComponent("photos")).imageCache()
            var outcome = Outcome()
            for round in 0..<7 {
                let ours = try microseconds { try decodeAndStore(photo, in: cache, key: "\(round)") }
                cache.clearMemoryCache()
                outcome[.halcyon].add([ours])
                outcome[.limit].add([microseconds { decodeBare(photo) }])
            }
            let rows = [timeRow(outcome, photo), try turnedRow(photo), try peakRow(photo, in: cache)]
            return (rows + [thumbnailRow(photo)]).compactMap { $0 }
        }

        private func timeRow(_ outcome: Outcome, _ photo: Data) -> ResultRow? {
            guard let figure = Figure(outcome[.halcyon]) else { return nil }
            var row = ResultRow("decode_and_store", on: volume.kind, bytes: photo.count, halcyon: figure)
            row.limit = Figure(outcome[.limit])
            row.limitName = "libjpeg-turbo, decoding alone"
            row.target = .ratio(1.05)
            return row
        }

        /// Like a photo of a phone in portrait orientation: its EXIF states a quarter turn.
        private func turnedRow(_ photo: Data) throws -> ResultRow? {
            let turned = Photo.turned(photo)
            var outcome = Outcome()
            for _ in 0..<7 {
                outcome[.halcyon].add([try microseconds { try decodeTurned(turned) }])
                outcome[.limit].add([microseconds { decodeBare(turned) }])
            }
            guard let figure = Figure(outcome[.halcyon]) else { return nil }
            var row = ResultRow("decode_turned", on: volume.kind, bytes: turned.count, halcyon: figure)
            row.limit = Figure(outcome[.limit])
            row.limitName = "libjpeg-turbo, not turning it"
            return row
        }

        private func decodeTurned(_ photo: Data) throws {
            guard let image = KFCrossPlatformImage(data: photo) else { throw Photo.Failure(description: "no image") }
            require(image.kf.decoded.size.width == Double(Self.height))
        }

        /// A second bitmap at any moment would show here.
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

        // MARK: A thumbnail

        /// An eighth of the photo, which libjpeg-turbo can decode without ever having its whole bitmap.
        private static let thumbnailSize = CGSize(width: width / 8, height: height / 8)

        private func thumbnailRow(_ photo: Data) -> ResultRow? {
            var outcome = Outcome()
            for _ in 0..<15 {
                outcome[.halcyon].add([microseconds { makeThumbnail(photo) }])
                outcome[.limit].add([microseconds { Photo.decode(photo, eighths: 1) }])
            }
            guard let figure = Figure(outcome[.halcyon]) else { return nil }
            var row = ResultRow("thumbnail", on: volume.kind, bytes: photo.count, halcyon: figure)
            row.limit = Figure(outcome[.limit])
            row.limitName = "libjpeg-turbo, decoding an eighth"
            return row
        }

        private func makeThumbnail(_ photo: Data) {
            let processor = DownsamplingImageProcessor(size: Self.thumbnailSize)
            let image = processor.process(item: .data(photo), options: KingfisherParsedOptionsInfo(nil))
            require(image?.size.width == Self.thumbnailSize.width)
        }

        /// What a downloader does with its data.
        private func decodeAndStore(_ photo: Data, in cache: ImageCache, key: String) throws {
            guard let image = KFCrossPlatformImage(data: photo) else { throw Photo.Failure(description: "no image") }
            var serializer = DefaultCacheSerializer()
            serializer.preferCacheOriginalData = true
            let stored = DispatchSemaphore(value: 0)
            cache.store(image.kf.decoded, original: photo, forKey: key, cacheSerializer: serializer) { _ in
                stored.signal()
            }
            stored.wait()
        }

        private func decodeBare(_ photo: Data) {
            let size = Photo.decode(photo)
            require(size == (Self.width, Self.height))
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
