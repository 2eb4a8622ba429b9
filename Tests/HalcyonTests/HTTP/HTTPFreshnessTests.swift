import Foundation
import Testing

@testable import Halcyon

/// RFC 9111, sections 3, 4.2 and 5, and RFC 5861, section 3.
@Suite struct HTTPFreshnessTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let date = Date(timeIntervalSince1970: 784_111_777)
    private static let dateField = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")

    /// Received at the time of its date, by default.
    private func freshness(
        _ fields: [(String, String)], statusCode: Int = 200, delay: Double = 0, took: Double = 0,
        cache: HTTPFreshness.Cache = .shared, isAuthorized: Bool = false
    ) -> HTTPFreshness {
        let received = Self.date.addingTimeInterval(delay)
        return HTTPFreshness(
            headers: fields.map { (name: $0.0, value: $0.1) }, statusCode: statusCode,
            requestedAt: received.addingTimeInterval(-took), receivedAt: received, cache: cache,
            isAuthorized: isAuthorized)
    }

    @Test(arguments: [
        ("max-age=60", 60), ("Max-Age=60", 60), ("max-age=\"60\"", 60), ("public , max-age=60", 60),
        ("max-age=60, s-maxage=10", 10), ("s-maxage=\"10\", max-age=60", 10),
        // The first of two counts, and anything that is not a number is ignored.
        ("max-age=60, max-age=70", 60), ("max-age=-1", 0), ("max-age=1.5", 0), ("max-age", 0), ("max-age=", 0),
        ("s-maxage=x, max-age=60", 0),
        // Larger than 31 bits.
        ("max-age=99999999999999999999", Int(Int32.max)), ("max-age=4294967296", Int(Int32.max)),
        ("no-cache, max-age=60", 0), ("no-cache=\"set-cookie, x\", max-age=60", 0), ("extension=\"a, max-age=5\"", 0),
    ]) func `the directives determine the lifetime`(control: String, lifetime: Int) {
        #expect(freshness([("cache-control", control)]).lifetime == lifetime)
    }

    @Test func `a response that a cache must understand is kept if its status is known`() {
        let fields = [("Cache-Control", "must-understand, max-age=60")]
        #expect(freshness(fields).isStorable && !freshness(fields, statusCode: 499).isStorable)
        #expect(freshness([("Cache-Control", "max-age=60")], statusCode: 499).isStorable)
        let both = [("Cache-Control", "must-understand, no-store, max-age=60")]
        #expect(freshness(both).isStorable && !freshness(both, statusCode: 499).isStorable)
    }

    @Test func `a private cache ignores directives for shared ones`() {
        let fields = [("Cache-Control", "max-age=60, s-maxage=10, proxy-revalidate")]
        #expect(freshness(fields, cache: .private).lifetime == 60)
        #expect(!freshness(fields, cache: .private).mustRevalidate && freshness(fields).mustRevalidate)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:48:37 GMT", 0), ("0", 0), ("-1", 0), ("soon", 0),
    ]) func `without directives, Expires determines the lifetime`(expires: String, lifetime: Int) {
        #expect(freshness([Self.dateField, ("Expires", expires)]).lifetime == lifetime)
        #expect(freshness([Self.dateField, ("Expires", expires), ("Cache-Control", "max-age=7")]).lifetime == 7)
    }

    @Test func `without directives and Expires, some responses get a heuristic lifetime`() {
        // A thousand seconds before.
        let fields = [Self.dateField, ("Last-Modified", "Sun, 06 Nov 1994 08:32:57 GMT")]
        let guessed = freshness(fields)
        #expect(guessed.lifetime == 100 && guessed.isHeuristic)
        #expect(freshness(fields, statusCode: 404).lifetime == 100)
        #expect(freshness(fields, statusCode: 302).lifetime == 0)
        #expect(freshness(fields + [("Cache-Control", "public")], statusCode: 302).lifetime == 100)
        // At most a day, although it was modified years before.
        let old = freshness([Self.dateField, ("Last-Modified", "Sun, 06 Nov 1988 08:49:37 GMT")])
        #expect(old.lifetime == 86_400 && old.isHeuristic)
        let explicit = freshness(fields + [("Expires", "0")])
        #expect(explicit.lifetime == 0 && !explicit.isHeuristic)
        let noCache = freshness(fields + [("Cache-Control", "no-cache")])
        #expect(noCache.lifetime == 0 && !noCache.isHeuristic)
        #expect(freshness([]).lifetime == 0)
    }

    @Test func `a quote that nothing closes hides no directive`() {
        let fields = [Self.dateField, ("Cache-Control", "max-age=600, ext=\"a, no-store")]
        #expect(!freshness(fields).isStorable)
        let closed = [Self.dateField, ("Cache-Control", "max-age=600, ext=\"a, no-store\"")]
        #expect(freshness(closed).isStorable && freshness(closed).lifetime == 600)
    }

    @Test func `the age accounts for clocks, proxies and transfer time`() {
        // The server's clock is 5 seconds behind this one.
        #expect(freshness([Self.dateField], delay: 5).initialAge == 5)
        #expect(freshness([Self.dateField], delay: -5).initialAge == 0)
        #expect(freshness([Self.dateField, ("Age", "30")], delay: 5, took: 2).initialAge == 32)
        #expect(freshness([Self.dateField, ("Age", "1")], delay: 5, took: 2).initialAge == 5)
        #expect(freshness([Self.dateField, ("Age", "soon")], delay: 5, took: 2).initialAge == 5)
        #expect(freshness([("Age", "3"), ("Age", "9")]).initialAge == 3)
        #expect(freshness([("Age", "3, 9")]).initialAge == 3 && freshness([("Age", " 3 ,9")]).initialAge == 3)
        #expect(freshness([("Age", ",9")]).initialAge == 0)
        let response = freshness([Self.dateField, ("Age", "30"), ("Cache-Control", "max-age=60")])
        #expect(response.age(at: Self.date.addingTimeInterval(20)) == 50)
        #expect(response.isFresh(at: Self.date.addingTimeInterval(29)))
        #expect(!response.isFresh(at: Self.date.addingTimeInterval(30)))
        // Putting the clock back does not make it younger.
        #expect(response.age(at: Self.date.addingTimeInterval(-100)) == 30)
    }

    @Test func `a stale response may be used while it is validated, unless a directive forbids that`() {
        let usable = freshness([("Cache-Control", "max-age=60, stale-while-revalidate=30")])
        #expect(
            usable.isUsable(at: Self.date.addingTimeInterval(89))
                && !usable.isFresh(at: Self.date.addingTimeInterval(89)))
        #expect(!usable.isUsable(at: Self.date.addingTimeInterval(90)))
        for forbidding in ["must-revalidate", "no-cache", "proxy-revalidate", "s-maxage=60"] {
            let strict = freshness([("Cache-Control", "max-age=60, stale-while-revalidate=30, \(forbidding)")])
            #expect(strict.mustRevalidate && strict.staleWhileRevalidate == 0, "\(forbidding)")
        }
    }

    @Test(arguments: [
        ("", true, true), ("no-store", false, false), ("NO-STORE", false, false), ("private", false, false),
        ("private=\"x\"", false, false), ("public", true, true), ("max-age=60", true, false),
        ("must-revalidate", true, true), ("s-maxage=0", true, true), ("no-cache", true, false),
    ]) func `a shared cache stores what the directives allow`(
        control: String, isStorable: Bool, isStorableIfAuthorized: Bool
    ) {
        let fields = control.isEmpty ? [] : [("Cache-Control", control)]
        #expect(freshness(fields).isStorable == isStorable)
        #expect(
            freshness(fields, isAuthorized: true).isStorable
                == (control.isEmpty ? false : isStorableIfAuthorized))
        #expect(freshness(fields + [("Vary", "*")]).isStorable == false)
        #expect(
            freshness(fields, cache: .private, isAuthorized: true).isStorable == !control.lowercased().contains(
                "no-store"))
    }

    @Test func `a 304 to an authorized request leaves the directives in force, unless it has its own`() {
        let silent = freshness([("ETag", "\"1\"")], statusCode: 304, isAuthorized: true)
        #expect(!silent.forbidsKeeping && !silent.isStorable)
        #expect(freshness([("Cache-Control", "max-age=60")], statusCode: 304, isAuthorized: true).forbidsKeeping)
    }

    @Test(arguments: [
        (200, "", true), (404, "", true), (301, "", true), (500, "", false), (302, "", false), (429, "no-cache", false),
        (500, "max-age=1", true), (302, "public", true), (500, "s-maxage=1", true), (302, "private", false),
        (206, "max-age=60", false), (304, "max-age=60", false), (100, "max-age=60", false), (103, "public", false),
    ]) func `the status decides whether a response is storable`(statusCode: Int, control: String, isStorable: Bool) {
        let fields = control.isEmpty ? [] : [("Cache-Control", control)]
        #expect(freshness(fields, statusCode: statusCode).isStorable == isStorable)
    }

    @Test func `an expiration date or, for one user, private makes any status storable`() {
        #expect(freshness([("Expires", "0")], statusCode: 500).isStorable)
        #expect(freshness([("Cache-Control", "private")], statusCode: 500, cache: .private).isStorable)
        #expect(!freshness([("Cache-Control", "s-maxage=9")], statusCode: 500, cache: .private).isStorable)
    }

    @Test func `large numbers do not overflow`() {
        let response = freshness([
            ("Age", "4294967296"), ("Cache-Control", "max-age=4294967296, stale-while-revalidate=4294967296"),
        ])
        let later = Self.date.addingTimeInterval(1e15)
        #expect(
            response.age(at: later) == Int(Int32.max) && !response.isFresh(at: later) && response.isUsable(at: later))
        #expect(response.age(at: Self.date.addingTimeInterval(.infinity)) == Int(Int32.max))
    }
}
