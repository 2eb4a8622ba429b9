#if os(Linux)
    import BenchReport
    import Foundation
    import Halcyon

    /// 64 views that request one image at the same moment, which is on disk and not in memory. Compared with one view, and with the minimum
    /// of one read and one decode.
    ///
    /// The file-attribute backend reads and decodes on one queue, once for each view.
    struct LoadsOfOneKey {
        let world: World

        static let names = ["load_one", "load_64_of_one_key", "load_64_of_one_key_reads", "load_64_of_one_key_decodes"]

        private static let views = 64
        /// Per contestant and round.
        private static let repeats = 4

        /// What one call of all views took.
        private struct Effort {
            let time: Double
            let bytesRead: Double
            let decodes: Double
        }

        func rows(rounds: Int) throws -> [ResultRow] {
            let photo = try Photo.jpeg(width: 800, height: 600)
            let item = try store(photo)
            let players = try players(item, photo)
            var (single, time, reads, decodes) = (Outcome(), Outcome(), Outcome(), Outcome())
            for _ in 0..<rounds {
                for (role, load) in players {
                    single[role].add(try (0..<Self.repeats).map { _ in try effort(1, load).time })
                    let efforts = try (0..<Self.repeats).map { _ in try effort(Self.views, load) }
                    time[role].add(efforts.map(\.time))
                    reads[role].add(efforts.map { self.reads(of: role, $0, photo) })
                    decodes[role].add(efforts.map(\.decodes))
                }
            }
            return zip(Self.names, [single, time, reads, decodes]).compactMap { row($0, $1, photo) }
        }

        private func row(_ name: String, _ outcome: Outcome, _ photo: Data) -> ResultRow? {
            var row = world.row(
                name, bytes: photo.count, outcome, limitName: "one read, one decoding by libjpeg-turbo", target: nil)
            if name.hasSuffix("_reads") || name.hasSuffix("_decodes") { row?.unit = .count }
            return row
        }

        private func store(_ photo: Data) throws -> Item {
            let item = world.newItems(1)[0]
            try world.halcyon.storage().store(value: photo, forKey: item.key)
            world.storeBare(photo, item)
            try world.attributes?.store(photo, forKey: item.key)
            return item
        }

        /// The library's decodes are derived from the bytes that the process has read, as the kernel counts them. The others read once for
        /// each decode.
        private func reads(of role: Contestant.Role, _ effort: Effort, _ photo: Data) -> Double {
            role == .halcyon ? (effort.bytesRead / Double(photo.count)).rounded() : effort.decodes
        }

        private func effort(_ views: Int, _ load: (Int) throws -> Int) rethrows -> Effort {
            let before = Memory.read
            var decodes = 0
            let time = try microseconds { decodes = try load(views) }
            return Effort(time: time, bytesRead: Double(Memory.read - before), decodes: Double(decodes))
        }

        // MARK: Contestants

        /// Each loads the photo for all views, returns when all have it, and reports the number of decodes.
        private func players(_ item: Item, _ photo: Data) throws -> [(Contestant.Role, (Int) throws -> Int)] {
            let cache = try world.halcyon.imageCache()
            let slow = world.attributes.map { backend in { (views: Int) in Self.load(item, views, from: backend) } }
            return [(.halcyon, { views in Self.load(item, views, from: cache) }), (.limit, { _ in Self.load(item) })]
                + [slow].compactMap { $0.map { (.attribute, $0) } }
        }

        private static func load(_ item: Item, _ views: Int, from cache: ImageCache) -> Int {
            cache.clearMemoryCache()
            let serializer = CountingSerializer()
            let loaded = DispatchGroup()
            for _ in 0..<views {
                loaded.enter()
                cache.retrieveImage(
                    forKey: item.key, options: [.cacheSerializer(serializer), .backgroundDecode],
                    callbackQueue: .untouch
                ) { result in
                    require((try? result.get().image) != nil)
                    loaded.leave()
                }
            }
            serializer.gate.signal()
            loaded.wait()
            return serializer.count.value
        }

        private static func load(_ item: Item) -> Int {
            Photo.decode(BareFiles.contents(item.barePath))
            return 1
        }

        private static func load(_ item: Item, _ views: Int, from backend: AttributeBackend) -> Int {
            let (queue, loaded, count) = (DispatchQueue(label: "bench.attributes.cache"), DispatchGroup(), Locker(0))
            for _ in 0..<views {
                queue.async(group: loaded) {
                    guard let data = try? backend.value(forKey: item.key) else { return require(false) }
                    Photo.decode(data)
                    count.change { $0 += 1 }
                }
            }
            loaded.wait()
            return count.value
        }
    }

    /// Counts the images created from bytes, which are decoded at once.
    private final class CountingSerializer: CacheSerializer {
        let count = Locker(0)
        /// Opened after all views have made their call: on a busy machine the first image would be in memory before the last call.
        let gate = DispatchSemaphore(value: 0)

        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            gate.wait()
            gate.signal()
            count.change { $0 += 1 }
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }
#endif
