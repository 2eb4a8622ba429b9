import Foundation
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct BlobNameTests {
    @Test(
        arguments: [
            ("https://a.b/photo.jpeg@processor", "jpeg"), ("image.jpg?v=2", nil), ("a.b.png", "png"), ("noext", nil),
            ("@2x.jpg", "jpg"), ("@@", nil), ("@a@b.png", nil), ("x.", nil), ("x.123456789012345678901", nil),
            ("x.12345678901234567890", "12345678901234567890"),
            ("a.p/ng", nil), ("", nil),
        ] as [(String, String?)])
    func `the extension a key suggests`(key: String, expected: String?) {
        #expect(BlobName.suggestedExtension(ofKey: key) == expected)
    }

    @Test func `the extension is part of the identity`() throws {
        try withCache { cache in
            try cache.storage.store(value: .blob(1), forKey: "a", forcedExtension: "jpg")
            #expect(try cache.storage.value(forKey: "a") == nil)
            #expect(try cache.storage.value(forKey: "a", forcedExtension: "png") == nil)
            #expect(try cache.storage.value(forKey: "a", forcedExtension: "jpg") == .blob(1))
            #expect(cache.storage.cacheFileURL(forKey: "a", forcedExtension: "jpg").pathExtension == "jpg")
        }
    }

    @Test func `a forced extension goes before the configured one, and that before the suggested one`() {
        var config = DiskStorage.Config(name: "x", sizeLimit: 0)
        config.autoExtAfterHashedFileName = true
        #expect(config.naming.name(forKey: "a.gif", forcedExtension: nil).text.hasSuffix(".gif"))
        config.pathExtension = "dat"
        #expect(config.naming.name(forKey: "a.gif", forcedExtension: nil).text.hasSuffix(".dat"))
        #expect(config.naming.name(forKey: "a.gif", forcedExtension: "png").text.hasSuffix(".png"))
        config.pathExtension = nil
        config.usesHashedFileName = false
        #expect(config.naming.name(forKey: "a.gif", forcedExtension: nil).text == "a.gif")
    }

    @Test func `a hashed name is SHA-256 in lower-case hexadecimal`() {
        // The test vector "abc" of FIPS 180-4.
        #expect(
            BlobName(key: "abc", isHashed: true, pathExtension: nil).text
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `two Unicode forms are two names`() {
        for isHashed in [true, false] {
            let decomposed = BlobName(key: "e\u{301}", isHashed: isHashed, pathExtension: nil)
            let composed = BlobName(key: "\u{e9}", isHashed: isHashed, pathExtension: nil)
            #expect(decomposed != composed && decomposed.rowID != composed.rowID)
        }
    }

    @Test func `row ids are positive`() {
        for seed in 0..<200 { #expect(BlobName(text: "\(seed)").rowID >= 0) }
    }

    @Test func `packed names come back as they were`() {
        for name in [
            String(repeating: "0a", count: 32), String(repeating: "f9", count: 32) + ".png",
            String(repeating: "00", count: 32) + "x",
        ] {
            let packed = PackedName.pack(name)
            #expect(packed?.count == name.utf8.count - 32)
            #expect(packed?.withUnsafeBytes(PackedName.unpack) == name)
            func isPacked(_ bytes: [UInt8]?) -> Bool? { bytes?.withUnsafeBytes { PackedName.isPacked($0, of: name) } }
            #expect(
                isPacked(packed) == true && isPacked([]) == false
                    && isPacked(packed.map { Array($0.dropLast()) }) == false)
            for place in packed?.indices ?? 0..<0 {
                var other = packed
                other?[place] ^= 0x10
                #expect(isPacked(other) == false)
            }
        }
        for name in ["", "short", String(repeating: "0A", count: 32), String(repeating: "g", count: 64)] {
            #expect(PackedName.pack(name) == nil)
            #expect(!Array(name.utf8).withUnsafeBytes { PackedName.isPacked($0, of: name) })
        }
    }
}

@Suite struct StampTests {
    @Test func `stamps count up within a millisecond and follow the clock`() {
        var source = StampSource()
        let now = Timestamp(milliseconds: 1_000_000)
        #expect((0..<4).map { _ in source.next(at: now).milliseconds } == [1_000_000, 1_000_001, 1_000_002, 1_000_003])
        #expect(source.next(at: now.advanced(by: 500)).milliseconds == 1_000_500)
    }

    @Test func `they run ahead of the clock by a tenth of a second at most`() {
        var source = StampSource()
        let now = Timestamp(milliseconds: 1_000_000)
        var last = now
        for _ in 0..<50_000 {
            let next = source.next(at: now)
            #expect(next >= last && next - now <= StampSource.lead)
            last = next
        }
    }

    @Test(arguments: [StampSource.lead + 1, 200, 2_000, 9_900, 899_000_000])
    func `after the clock was set back they follow it, in order`(step: Int64) {
        var source = StampSource()
        var now = Timestamp(milliseconds: 900_000_000)
        for _ in 0..<50 { _ = source.next(at: now) }
        now = source.next(at: now).advanced(by: -step)
        var last = now.advanced(by: -1)
        for _ in 0..<50 {
            let next = source.next(at: now)
            #expect(next > last && next - now <= StampSource.lead)
            (last, now) = (next, now.advanced(by: 1))
        }
    }
}

@Suite struct AccessLogTests {
    private func note(_ token: Int64, _ time: Int64, _ lifetime: Lifetime? = nil, hits: Int64 = 1) -> AccessLog.Note {
        AccessLog.Note(
            token: token, storedAt: Timestamp(milliseconds: token), generation: 0,
            accessedAt: Timestamp(milliseconds: time),
            lifetime: lifetime, hits: hits)
    }

    @Test func `notes of one entry are merged, later access and last expiration win`() {
        var log = AccessLog(limit: 10)
        log.add(note(1, 5, .never), for: 7)
        log.add(note(1, 3), for: 7)
        #expect(log.count == 1)
        #expect(log.note(for: 7) == note(1, 5, .never, hits: 2))
    }

    @Test func `a time to live is the row's own unless a read before it has given it another`() {
        var renewal = note(1, 9, .never)
        renewal.renewedAt = Timestamp(milliseconds: 9)
        func renewed(after earlier: AccessLog.Note) -> Timestamp? {
            var log = AccessLog(limit: 10)
            log.add(earlier, for: 7)
            log.add(renewal, for: 7)
            return log.note(for: 7)?.renewedAt
        }
        #expect(renewed(after: note(1, 5)) == renewal.renewedAt)
        #expect(renewed(after: renewal) == renewal.renewedAt)
        #expect(renewed(after: note(1, 5, .never)) == nil)
        #expect(renewed(after: note(0, 5, .never)) == renewal.renewedAt, "of another store")
    }

    @Test func `a newer entry's note replaces the old one's`() {
        var log = AccessLog(limit: 10)
        log.add(note(1, 5, .never), for: 7)
        log.add(note(2, 6), for: 7)
        #expect(log.note(for: 7) == note(2, 6))
    }

    @Test func `a slow read of former bytes does not replace the note of the newer entry`() {
        var log = AccessLog(limit: 10)
        log.add(note(2, 6, .never), for: 7)
        log.add(note(1, 7), for: 7)
        #expect(log.note(for: 7) == note(2, 6, .never))
        // The clock was set back since.
        log.add(note(1, 7), for: 7, now: .init(milliseconds: 1))
        #expect(log.note(for: 7) == note(1, 7))
    }

    @Test func `a note from an index that is gone does not outlive the next read`() {
        var log = AccessLog(limit: 10)
        log.add(note(5, 6, .never), for: 7)
        // The folder was deleted after the clock was set back, and the clock has passed that time since.
        var next = note(1, 9)
        next.generation = 1
        log.add(next, for: 7)
        #expect(log.note(for: 7) == next)
    }

    @Test func `notes stay visible until they are written, and reads added meanwhile stay`() {
        var log = AccessLog(limit: 10)
        log.add(note(1, 5, .never, hits: 3), for: 7)
        let written = log.allNotes
        #expect(written.map(\.id) == [7])
        #expect(log.note(for: 7) == note(1, 5, .never, hits: 3))
        log.add(note(1, 9), for: 7)
        #expect(log.note(for: 7) == note(1, 9, .never, hits: 4))
        log.didFlush(written)
        #expect(log.note(for: 7) == note(1, 9, .never))
        log.didFlush(log.allNotes)
        #expect(log.note(for: 7) == nil && log.count == 0)
    }

    @Test func `the note of a newer store stays while the older one's is written`() {
        var log = AccessLog(limit: 10)
        log.add(note(1, 5, hits: 3), for: 7)
        let written = log.allNotes
        log.add(note(2, 6), for: 7)
        log.didFlush(written)
        #expect(log.note(for: 7) == note(2, 6))
    }

    @Test func `their number is bounded, and known entries are still noted`() {
        var log = AccessLog(limit: 3)
        for id in 0..<10 { log.add(note(1, 5), for: Int64(id)) }
        #expect(log.count == 3)
        log.add(note(1, 8), for: 2)
        #expect(log.note(for: 2) == note(1, 8, hits: 2))
        log.add(note(2, 9), for: 2)
        #expect(log.note(for: 2) == note(2, 9), "A newer store's note takes the place of the old one's.")
    }

    @Test func `the latest known key, image and host of an entry are noted`() {
        func described(_ time: Int64, _ key: String?, _ base: String?, _ host: String?) -> AccessLog.Note {
            var note = note(1, time)
            note.keyDescription = .init(key: key, origin: base.map { KeyOrigin(baseKey: $0) }, host: host)
            return note
        }
        var log = AccessLog(limit: 10)
        for note in [described(5, "first", "first", "a"), described(6, "second", "second", "b"), note(1, 7)] {
            log.add(note, for: 7)
        }
        #expect(log.note(for: 7) == described(7, "second", "second", "b").with(hits: 3))
        log.add(described(8, nil, "third", "c"), for: 7)
        #expect(log.note(for: 7) == described(8, "second", "third", "c").with(hits: 4))
        log.add(described(9, "fourth", nil, nil), for: 7)
        #expect(log.note(for: 7) == described(9, "fourth", "third", "c").with(hits: 5))
    }
}

extension AccessLog.Note: Equatable {
    fileprivate func with(hits: Int64) -> Self {
        var note = self
        note.hits = hits
        return note
    }

    static func == (a: Self, b: Self) -> Bool {
        (a.token, a.accessedAt, a.hits) == (b.token, b.accessedAt, b.hits)
            && (a.lifetime, a.renewedAt) == (b.lifetime, b.renewedAt)
            && (a.keyDescription?.key, a.keyDescription?.origin, a.keyDescription?.host)
                == (b.keyDescription?.key, b.keyDescription?.origin, b.keyDescription?.host)
    }
}

extension AccessLog {
    fileprivate func note(for id: Int64) -> Note? { allNotes.first { $0.id == id }?.note }
}

@Suite struct StorageExpirationTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    @Test func `estimates`() {
        #expect(StorageExpiration.never.estimatedExpirationSince(now) == .distantFuture)
        #expect(StorageExpiration.expired.estimatedExpirationSince(now) == .distantPast)
        #expect(StorageExpiration.seconds(5).estimatedExpirationSince(now) == now.addingTimeInterval(5))
        #expect(StorageExpiration.days(2).estimatedExpirationSince(now) == now.addingTimeInterval(172_800))
        #expect(StorageExpiration.date(now).estimatedExpirationSince(.distantPast) == now)
        #expect(TimeConstants.secondsInOneDay == 86_400)
    }

    @Test func `intervals and expiry`() {
        #expect(StorageExpiration.never.timeInterval == .infinity && !StorageExpiration.never.isExpired)
        #expect(StorageExpiration.expired.timeInterval == -.infinity && StorageExpiration.expired.isExpired)
        #expect(StorageExpiration.seconds(0).isExpired && !StorageExpiration.seconds(1).isExpired)
        #expect(StorageExpiration.seconds(.nan).isExpired)
        #expect(StorageExpiration.date(Date(timeIntervalSinceNow: -1)).isExpired)
        #expect(now.isPast(referenceDate: now) && !now.isPast(referenceDate: now.addingTimeInterval(-1)))
        #expect(now.isPast)
    }

    @Test func `moments are rounded up to milliseconds`() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1.0001)).milliseconds == 1_001)
        #expect(Timestamp(.distantPast).milliseconds == 0)
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)) == .latest)
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)).milliseconds == 0)
        #expect(Timestamp.latest.advanced(by: .max) == .latest)
    }
}

@Suite struct ErrorTests {
    /// As it is where names are not hashed: the key.
    private let url = URL(fileURLWithPath: "/cache/secret")
    private let folder = URL(fileURLWithPath: "/cache")
    private struct Cause: LocalizedError { var errorDescription: String? { "the cause" } }

    private var all: [(KingfisherError.CacheErrorReason, Int)] {
        [
            (.fileEnumeratorCreationFailed(url: folder), 3001), (.invalidFileEnumeratorContent(url: folder), 3002),
            (.invalidURLResource(error: Cause(), key: "secret", url: url), 3003),
            (.cannotLoadDataFromDisk(url: url, error: Cause()), 3004),
            (.cannotCreateDirectory(path: "/cache", error: Cause()), 3005), (.imageNotExisting(key: "secret"), 3006),
            (.cannotConvertToData(object: "secret", error: Cause()), 3007),
            (
                .cannotSerializeImage(
                    image: nil, original: Data("secret".utf8), serializer: DefaultCacheSerializer.default), 3008
            ),
            (.cannotCreateCacheFile(fileURL: url, key: "secret", data: Data("secret".utf8), error: Cause()), 3009),
            (.cannotSetCacheFileAttribute(filePath: "/cache/secret", attributes: [:], error: Cause()), 3010),
            (.diskStorageIsNotReady(cacheURL: folder), 3011),
        ]
    }

    @Test func `every reason has its code, a text, and no key or data in it`() {
        for (reason, code) in all {
            let error = KingfisherError.cacheError(reason: reason)
            #expect(error.errorCode == code)
            #expect((error as NSError).code == code)
            #expect((error as NSError).domain == "com.onevcat.Kingfisher.Error")
            for text in [
                "\(error)", String(reflecting: error), error.localizedDescription, error.errorDescription ?? "",
            ] {
                #expect(!text.isEmpty && !text.contains("secret"))
            }
        }
    }

    @Test func `causes name a remedy`() {
        for code in [EACCES, EROFS, EMFILE, ENOSPC, EIO, ENOENT, ENOTDIR, ENAMETOOLONG] {
            let error = CacheStorageError(SystemError("open", code))
            #expect(!error.remedy.isEmpty && error.errnoCode == code)
            #expect(error.code == (code == ENOSPC ? .diskFull : .fileSystem))
        }
        #expect((3101...3109).contains(CacheStorageError(SystemError("open", EIO)).errorCode))
    }
}

extension AccessLog {
    fileprivate mutating func add(_ note: Note, for id: Int64) { add(note, for: id, now: .latest) }
}
