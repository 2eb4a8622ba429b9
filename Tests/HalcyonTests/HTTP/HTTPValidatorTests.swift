import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@_spi(HalcyonTool) @testable import Halcyon

@Suite struct HTTPValidatorTests {
    private func response(_ fields: [(String, String)], at received: Date) -> HTTPFreshness {
        HTTPFreshness(
            headers: fields.map { (name: $0.0, value: $0.1) }, requestedAt: received, receivedAt: received,
            cache: .shared)
    }

    @Test func `entity tags are compared by their bytes`() {
        let stored = DiskStorage.HTTPValidators(etag: "\"caf\u{e9}\"", maxAge: 0)
        for (etag, isSame) in [("W/\"caf\u{e9}\"", true), ("\"cafe\u{301}\"", false)] {
            let confirmed = response([("ETag", etag), ("Cache-Control", "max-age=60")], at: Date())
            #expect((stored.renewed(by: confirmed) != stored) == isSame)
        }
    }

    @Test func `a 304 without a lifetime begins another estimate, with or without the date`() {
        let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        let stored = Date(timeIntervalSince1970: 784_111_777 + 1_000)
        let first = DiskStorage.HTTPValidators(response([modified, ("Cache-Control", "public")], at: stored))
        #expect(first.maxAge == 100)
        for fields in [[("Cache-Control", "public")], [("Cache-Control", "public"), modified]] {
            let later = stored.addingTimeInterval(200)
            let confirmed = HTTPFreshness(
                headers: fields.map { (name: $0.0, value: $0.1) }, statusCode: 304, requestedAt: later,
                receivedAt: later, cache: .shared)
            #expect(first.renewed(by: confirmed).maxAge == 120)
        }
    }

    @Test(arguments: [
        "no-store", "no-store, max-age=600", "private", "private, max-age=600, stale-while-revalidate=60",
    ])
    func `a 304 that forbids to keep the response makes nothing fresh or usable`(control: String) {
        let fields = [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Cache-Control", "public")]
        let stored = Date(timeIntervalSince1970: 784_111_777 + 1_000)
        let confirmed = HTTPFreshness(
            headers: [(name: "Cache-Control", value: control)], statusCode: 304, requestedAt: stored,
            receivedAt: stored, cache: .shared)
        let renewed = DiskStorage.HTTPValidators(response(fields, at: stored)).renewed(by: confirmed)
        #expect(renewed.maxAge == 0 && renewed.mustRevalidate && !renewed.isUsable(at: stored))
    }

    @Test func `a response that was received while the clock was ahead is not fresh`() {
        let received = Date(timeIntervalSince1970: 1_800_000_000)
        var validators = DiskStorage.HTTPValidators(response([("Cache-Control", "max-age=60")], at: received))
        validators.staleWhileRevalidate = 60
        // A little is within the tolerance of stamps.
        #expect(validators.isFresh(at: received.addingTimeInterval(-5)))
        #expect(!validators.isFresh(at: received.addingTimeInterval(-3_600)))
        #expect(!validators.isUsable(at: received.addingTimeInterval(-3_600)))
    }

    @Test func `validators are stored with the bytes and renewed without them`() throws {
        try withCache { cache in
            let storage = cache.storage
            let stored = cache.clock.now.date
            let first = response(
                [
                    ("ETag", "\"1\""), ("Last-Modified", "m"),
                    ("Cache-Control", "max-age=60, stale-while-revalidate=30"), ("Age", "10"),
                ],
                at: stored)
            try storage.store(value: .blob(1), forKey: "k", attributes: .init(validators: .init(first)))
            cache.reopen()
            var validators = try #require(try cache.storage.entry(forKey: "k")?.validators)
            #expect(validators == DiskStorage.HTTPValidators(first))
            #expect(validators.isFresh(at: stored.addingTimeInterval(49)))
            #expect(!validators.isFresh(at: stored.addingTimeInterval(51)))
            #expect(validators.isUsable(at: stored.addingTimeInterval(79)))
            #expect(!validators.isUsable(at: stored.addingTimeInterval(81)))

            let path = cache.storage.cacheFileURL(forKey: "k").path
            let file = try cache.fileSystem.status(at: path)
            let confirmed = response(
                [("Cache-Control", "max-age=5, must-revalidate")], at: stored.addingTimeInterval(100))
            #expect(try cache.storage.update(forKey: "k") { .init(validators: $0.validators?.renewed(by: confirmed)) })
            validators = try #require(try cache.storage.entry(forKey: "k")?.validators)
            #expect(validators.etag == "\"1\"" && validators.lastModified == "m" && validators.mustRevalidate)
            #expect(validators.isFresh(at: stored.addingTimeInterval(104)))
            #expect(!validators.isUsable(at: stored.addingTimeInterval(106)))
            try #expect(cache.fileSystem.status(at: path) == file)
        }
    }

    @Test func `a confirmation without directives keeps the old ones`() {
        let begin = Date(timeIntervalSince1970: 1_000_000)
        let first = DiskStorage.HTTPValidators(
            response([("ETag", "a"), ("Cache-Control", "max-age=60, stale-while-revalidate=30")], at: begin))
        let renewed = first.renewed(by: response([("ETag", "a")], at: begin.addingTimeInterval(500)))
        #expect(renewed.etag == "a" && renewed.maxAge == 60 && renewed.staleWhileRevalidate == 30)
        #expect(
            renewed.isFresh(at: begin.addingTimeInterval(559)) && !renewed.isFresh(at: begin.addingTimeInterval(560)))
        let always = first.renewed(by: response([("Cache-Control", "no-cache")], at: begin))
        #expect(always.maxAge == 0 && always.mustRevalidate && !always.isFresh(at: begin))
        let expires = response([("Expires", "Tue, 13 Jan 1970 13:46:40 GMT")], at: begin)
        // A stored `max-age` goes before `Expires`.
        #expect(first.renewed(by: expires).maxAge == 60)
        let soon = response([("Expires", "Mon, 12 Jan 1970 13:47:10 GMT")], at: begin)
        #expect(
            first.renewed(by: soon).maxAge == 30 && DiskStorage.HTTPValidators().renewed(by: expires).maxAge == 86_400)
        #expect(always.renewed(by: expires).maxAge == 0 && !always.renewed(by: expires).isUsable(at: begin))
    }

    @Test(arguments: [("a", "b"), ("\"a\"", "W/\"b\""), ("W/\"a\"", "\"b\"")])
    func `a confirmation of other bytes renews nothing`(etag: String, other: String) {
        let begin = Date(timeIntervalSince1970: 1_000_000)
        let first = DiskStorage.HTTPValidators(response([("ETag", etag), ("Cache-Control", "max-age=60")], at: begin))
        let fields = [("ETag", other), ("Cache-Control", "max-age=90")]
        #expect(first.renewed(by: response(fields, at: begin.addingTimeInterval(500))) == first)
    }

    /// Go's server answers 304 if its file is older than the date of the request.
    @Test(arguments: [(nil, nil), ("a", nil), (nil, "a"), ("a", "a")])
    func `without equal tags, a confirmation of another date renews nothing`(etag: String?, other: String?) {
        let begin = Date(timeIntervalSince1970: 1_000_000)
        let first = DiskStorage.HTTPValidators(
            etag: etag, lastModified: "Tue, 06 Jan 1970 08:00:00 GMT", maxAge: 60, validatedAt: begin)
        func renewed(_ date: String) -> DiskStorage.HTTPValidators {
            let fields = [("Last-Modified", date), ("Cache-Control", "max-age=90")]
            let tag = other.map { [("ETag", $0)] } ?? []
            return first.renewed(by: response(fields + tag, at: begin.addingTimeInterval(500)))
        }
        let isOther = etag == nil || other == nil
        #expect((renewed("Mon, 05 Jan 1970 08:00:00 GMT") == first) == isOther)
        #expect(renewed("Tue, 06 Jan 1970 08:00:00 GMT").maxAge == 90)
    }

    @Test func `a 304 with a Vary that matches nothing makes nothing fresh`() {
        let begin = Date(timeIntervalSince1970: 1_000_000)
        let first = DiskStorage.HTTPValidators(etag: "a", maxAge: 3_600, validatedAt: begin)
        let renewed = first.renewed(by: response([("ETag", "a"), ("Vary", "*")], at: begin))
        #expect(renewed.mustRevalidate && !renewed.isFresh(at: begin) && !renewed.isUsable(at: begin))
    }

    @Test func `a weak tag confirms the strong one, and a missing tag is added`() {
        let begin = Date(timeIntervalSince1970: 1_000_000)
        let strong = DiskStorage.HTTPValidators(etag: "\"a\"", maxAge: 1, validatedAt: begin)
        let fields = [("ETag", "W/\"a\""), ("Cache-Control", "max-age=90")]
        #expect(strong.renewed(by: response(fields, at: begin)).maxAge == 90)
        #expect(DiskStorage.HTTPValidators(maxAge: 1).renewed(by: response(fields, at: begin)).etag == "W/\"a\"")
    }

    @Test func `new directives replace all old ones`() {
        let begin = Date(timeIntervalSince1970: 1_000_000)
        let first = DiskStorage.HTTPValidators(
            response([("Cache-Control", "max-age=60, stale-while-revalidate=30, must-revalidate")], at: begin))
        let renewed = first.renewed(by: response([("Cache-Control", "public")], at: begin))
        #expect(renewed.maxAge == 0 && renewed.staleWhileRevalidate == 0 && !renewed.mustRevalidate)
    }

    @Test func `without a time of validation or a lifetime, nothing is fresh`() {
        #expect(!DiskStorage.HTTPValidators(maxAge: 60).isFresh())
        #expect(!DiskStorage.HTTPValidators(validatedAt: Date()).isUsable())
        #expect(DiskStorage.HTTPValidators(maxAge: 60).currentAge() == nil)
    }

    @Test(arguments: [Int.min, -1, 0, Int.max]) func `any number in the index is read as seconds`(number: Int) throws {
        try withCache { cache in
            try cache.storage.store(
                value: .blob(1), forKey: "k",
                attributes: .init(validators: .init(etag: "e", maxAge: 1, validatedAt: Date(), age: 1)))
            let other = try Connection(path: cache.index.path)
            try other.execute(
                "UPDATE metadata SET max_age = \(number), age = \(number), stale_while_revalidate = \(number), checked_at = \(number)"
            )
            let validators = try #require(try cache.storage.entry(forKey: "k")?.validators)
            _ = (validators.isFresh(), validators.isUsable(), validators.currentAge())
            #expect(validators.etag == "e")
        }
    }
}
