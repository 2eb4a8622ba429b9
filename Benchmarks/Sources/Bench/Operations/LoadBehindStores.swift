#if os(Linux)
    import BenchReport
    import Foundation
    import Halcyon

    /// How long a load takes during 2 000 earlier stores of 1 MiB.
    ///
    /// Loads run through an `ImageCache`, right after the calls of the stores and again whenever the last load has ended; meanwhile some go
    /// directly to the disk storage. The file-attribute backend runs on one queue, as a serial cache would. Bare calls need no queue, so
    /// their load is the same in both rows.
    struct LoadBehindStores {
        let world: World

        static let names = ["load_behind_stores", "value_beside_stores"]

        private static let stores = 2_000
        private static let blobSize = 1_048_576
        /// The number of an entry that exists before.
        private static let wanted = stores

        private var folder: URL { world.volume.folder.appendingPathComponent("crowd") }

        func rows(rounds: Int) throws -> [ResultRow] {
            // Each contestant's blobs are removed after its turn.
            guard world.volume.hasRoom(forBytes: Self.stores * Self.blobSize) else {
                Progress.say("\(world.volume.name): no room for \(Self.stores) blobs of 1 MiB")
                return []
            }
            var (loads, values) = (Outcome(), Outcome())
            for round in 0..<rounds {
                let roles = Contestant.Role.allCases
                for role in round.isMultiple(of: 2) ? roles : roles.reversed() {
                    let waits = try waits(of: role)
                    loads[role].add(waits.loads.isEmpty ? waits.values : waits.loads)
                    values[role].add(waits.values)
                }
            }
            return zip(Self.names, [loads, values]).compactMap(row)
        }

        private func row(_ name: String, _ outcome: Outcome) -> ResultRow? {
            let row = world.row(
                name, bytes: Self.blobSize, outcome, limitName: "open+fstat+read+close while bare calls store",
                target: nil)
            guard var row else { return nil }
            row.entries = Self.stores
            return row
        }

        private func waits(of role: Contestant.Role) throws -> Waits {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { removeFolder() }
            switch role {
            case .halcyon: return try waitsOfHalcyon()
            case .limit: return try waitsOfBareFiles()
            case .attribute: return try waitsOfAttributes()
            }
        }

        /// Otherwise the disk would write the pending bytes during another contestant's turn.
        private func removeFolder() {
            do { try FileManager.default.removeItem(at: folder) } catch {
                Progress.say("\(folder.path) is left: \(error)")
            }
            sync()
        }

        // MARK: Contestants

        private func waitsOfHalcyon() throws -> Waits {
            let halcyon = HalcyonCache(folder: folder.appendingPathComponent("halcyon"))
            let waits = try waits(of: halcyon)
            halcyon.close()
            return waits
        }

        private func waits(of halcyon: HalcyonCache) throws -> Waits {
            let (cache, storage, data) = (try halcyon.imageCache(), try halcyon.storage(), blob(Self.blobSize))
            try storage.store(value: try Photo.jpeg(width: 64, height: 64), forKey: Item.key(Self.wanted))
            return try Waits { stored in
                for number in 0..<Self.stores {
                    stored.enter()
                    cache.storeToDisk(data, forKey: Item.key(number)) { _ in stored.leave() }
                }
            } load: { loaded in
                cache.retrieveImageInDiskCache(forKey: Item.key(Self.wanted)) { result in
                    loaded()
                    require((try? result.get()) != nil)
                }
            } value: {
                try require(storage.value(forKey: Item.key(Self.wanted)) != nil)
            }
        }

        private func waitsOfBareFiles() throws -> Waits {
            let (files, data) = (try BareFiles(folder: folder), blob(Self.blobSize))
            let (wanted, staged) = (Item(Self.wanted, bare: files).barePath, files.path("staged"))
            BareFiles.store(try Photo.jpeg(width: 64, height: 64), at: wanted, staged: staged)
            let paths = (0..<Self.stores).map { Item($0, bare: files).barePath }
            return try Waits { stored in
                DispatchQueue(label: "bench.stores").async(group: stored) {
                    for path in paths { BareFiles.store(data, at: path, staged: staged) }
                }
            } value: {
                BareFiles.load(wanted)
            }
        }

        /// On a disk, each of its stores waits for the disk, so a tenth of them is enough to estimate the time of all.
        private func waitsOfAttributes() throws -> Waits {
            let (backend, data) = (try AttributeBackend(folder: folder), blob(Self.blobSize))
            let (queue, share) = (DispatchQueue(label: "bench.attributes.cache"), world.volume.kind == .disk ? 10 : 1)
            try backend.store(try Photo.jpeg(width: 64, height: 64), forKey: Item.key(Self.wanted))
            var waits = try Waits { stored in
                for number in 0..<Self.stores / share {
                    queue.async(group: stored) { Self.store(data, number, in: backend) }
                }
            } load: { loaded in
                queue.async {
                    Self.load(backend)
                    loaded()
                }
            } value: {
                Self.load(backend)
            }
            backend.settle()
            waits.loads = waits.loads.map { $0 * Double(share) }
            return waits
        }

        private static func store(_ data: Data, _ number: Int, in backend: AttributeBackend) {
            // A failure shows, because the requested value is missing then.
            try? backend.store(data, forKey: Item.key(number))
        }

        private static func load(_ backend: AttributeBackend) {
            require((try? backend.value(forKey: Item.key(wanted))) != nil)
        }
    }

    /// The times of one contestant's turn.
    private struct Waits {
        /// From the calls of loads, after those of the stores, to their handlers; empty without a queue.
        var loads: [Double] = []
        /// Reads from the disk while the stores ran.
        private(set) var values: [Double] = []

        /// - Parameters:
        ///   - store: calls all stores, each of which leaves the group at its end.
        ///   - load: calls a load, which calls its argument at its end.
        ///   - value: reads on this thread.
        init(
            store: (DispatchGroup) -> Void, load: ((@escaping @Sendable () -> Void) -> Void)? = nil,
            value: () throws -> Void
        ) throws {
            let stored = DispatchGroup()
            store(stored)
            var current = load.map(Load.init)
            // Rare enough not to slow the stores down.
            while stored.wait(timeout: .now() + .milliseconds(5)) == .timedOut {
                values.append(try microseconds(value))
                // The next one when the last one has ended.
                guard let load, let time = current?.time else { continue }
                loads.append(time)
                current = Load(load)
            }
            if let current { loads.append(current.wait()) }
        }

        private final class Load: Sendable {
            private let begin = now()
            private let end = Locker<Double?>(nil)
            private let ended = DispatchGroup()

            init(_ load: (@escaping @Sendable () -> Void) -> Void) {
                ended.enter()
                load { [self] in
                    end.value = now()
                    ended.leave()
                }
            }

            /// nil while it runs.
            var time: Double? { end.value.map { $0 - begin } }

            func wait() -> Double {
                ended.wait()
                return time ?? 0
            }
        }
    }
#endif
