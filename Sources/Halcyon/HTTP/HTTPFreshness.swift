public import Foundation

/// How long an HTTP response may be reused, computed from its headers according to RFC 9111.
///
/// This type never contacts a server. You pass in the headers that your client received, and store the result with the bytes: see
/// ``DiskStorage/HTTPValidators``. Times are in whole seconds, as in HTTP.
public struct HTTPFreshness: Sendable, Hashable {
    /// The kind of cache, which decides which directives apply (RFC 9111, section 5.2.2).
    public enum Cache: Sendable {
        /// One user: an app.
        case `private`
        /// Many users: a server. `s-maxage` counts; `private` and an authorized request forbid storing.
        case shared
    }

    /// `ETag`, including its quotes.
    public let etag: String?
    /// `Last-Modified`, as the server wrote it.
    public let lastModified: String?
    /// Whether the cache may keep the response (RFC 9111, section 3): nothing forbids it, and the status is one of those with a
    /// heuristic lifetime, or the headers say explicitly that it may be kept. Never true for 1xx, 206 and 304, which are no
    /// complete responses, and for `Vary: *`, which matches no later request. Any other `Vary` is up to you: put the values of
    /// these request headers into the key.
    public let isStorable: Bool
    /// Seconds for which the response is fresh, counted from its origin (section 4.2.1); 0 if each use must be validated.
    public let lifetime: Int
    /// Whether ``lifetime`` is an estimate: a tenth of the time since `Last-Modified`, and a day at most (section 4.2.2).
    public let isHeuristic: Bool
    /// Seconds from the origin to the receipt of the response (`corrected_initial_age`, section 4.2.3).
    public let initialAge: Int
    /// The status code; 304 confirms the stored response.
    public let statusCode: Int
    /// When the response was received.
    public let receivedAt: Date
    /// Whether a stale response must not be used before it is validated (sections 5.2.2.2, 5.2.2.4, 5.2.2.8
    /// and 5.2.2.10: `s-maxage` implies it for a shared cache).
    public let mustRevalidate: Bool
    /// Seconds for which a stale response may be used while it is being validated (RFC 5861, section 3); 0 for none.
    public let staleWhileRevalidate: Int

    /// Whether the response itself states how long it is fresh.
    let statesLifetime: Bool
    let hasCacheControl: Bool
    /// Whether the response has `Cache-Control`, and it, `Vary: *` or an authorized request forbids to keep the response. Says so also
    /// for a 304, which is never storable itself.
    let forbidsKeeping: Bool

    /// Reads the headers of a response.
    ///
    /// If a header or directive occurs twice, the first one counts; of a list in `Age`, its first member. An unreadable lifetime
    /// counts as 0. Numbers beyond 2^31 - 1 count as that.
    ///
    /// - Parameters:
    ///   - headers: all headers; names are case-insensitive.
    ///   - statusCode: only 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414 and 501 (RFC 9110, section 15.1) and responses
    ///     with `public` get a heuristic lifetime.
    ///   - requestedAt: when you sent the request.
    ///   - receivedAt: when the response arrived.
    ///   - cache: private or shared.
    ///   - isAuthorized: whether the request had an `Authorization` header (RFC 9111, section 3.5).
    public init(
        headers: some Sequence<(name: String, value: String)>, statusCode: Int = 200, requestedAt: Date,
        receivedAt: Date, cache: Cache, isAuthorized: Bool = false
    ) {
        let fields: HTTPFields = Dictionary(grouping: headers) { $0.name.lowercased() }
            .mapValues { $0.map { $0.value.trimmingCharacters(in: .whitespaces) } }
        let control = CacheControl(fields["cache-control"] ?? [])
        let date = fields["date"]?.first.flatMap(HTTPDate.date) ?? receivedAt
        let explicit = Self.explicitLifetime(control, fields, since: date, cache)
        let isReusable = Self.isHeuristicallyCacheable(statusCode) || control.has("public")
        let heuristic = isReusable ? Self.heuristicLifetime(fields["last-modified"]?.first, since: date) : nil
        self.statusCode = statusCode
        self.receivedAt = receivedAt
        (etag, lastModified) = (fields["etag"]?.first, fields["last-modified"]?.first)
        statesLifetime = explicit != nil || control.has("no-cache")
        hasCacheControl = fields["cache-control"] != nil
        let isForbidden = Self.isForbidden(control, fields, cache, isAuthorized: isAuthorized)
        // A 304 without `Cache-Control` leaves the stored directives in force, which may allow keeping an authorized response.
        forbidsKeeping = Self.isForbidden(control, fields, cache, isAuthorized: isAuthorized && hasCacheControl)
        let isAllowed = isReusable || explicit != nil || control.has("private")
        // Of the statuses that caches are to understand (section 5.2.2.3), those are understood.
        let isUnderstood = !control.has("must-understand") || Self.isHeuristicallyCacheable(statusCode)
        isStorable =
            isAllowed && isUnderstood && Self.isComplete(statusCode) && !isForbidden
        isHeuristic = explicit == nil && !control.has("no-cache") && heuristic != nil
        lifetime = control.has("no-cache") ? 0 : explicit ?? heuristic ?? 0
        mustRevalidate =
            control.has("no-cache") || control.has("must-revalidate")
            || (cache == .shared && (control.has("proxy-revalidate") || control.has("s-maxage")))
        staleWhileRevalidate = mustRevalidate ? 0 : control.seconds("stale-while-revalidate") ?? 0
        initialAge = Self.initialAge(fields, date: date, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    /// Seconds since the origin created or validated the response (`current_age`, section 4.2.3).
    public func age(at time: Date) -> Int {
        DeltaSeconds.sum(initialAge, DeltaSeconds.clamped(time.timeIntervalSince(receivedAt)))
    }

    /// Whether you may use the response without contacting the server.
    public func isFresh(at time: Date) -> Bool { lifetime > age(at: time) }

    /// Whether you may use the response while it is being validated. True for a fresh response.
    public func isUsable(at time: Date) -> Bool {
        DeltaSeconds.lasts(lifetime, staleWhileRevalidate, atAge: age(at: time))
    }

    // MARK: The RFC's rules

    private static func isComplete(_ statusCode: Int) -> Bool {
        statusCode >= 200 && statusCode != 206 && statusCode != 304
    }

    private static func isForbidden(
        _ control: CacheControl, _ fields: HTTPFields, _ cache: Cache, isAuthorized: Bool
    ) -> Bool {
        // A cache that understands the status ignores `no-store` beside `must-understand` (section 5.2.2.3).
        if control.has("no-store") && !control.has("must-understand") { return true }
        if fields["vary", default: []].contains(where: { $0.contains("*") }) { return true }
        guard cache == .shared else { return false }
        return control.has("private")
            || (isAuthorized && !["must-revalidate", "public", "s-maxage"].contains(where: control.has))
    }

    private static func explicitLifetime(
        _ control: CacheControl, _ fields: HTTPFields, since date: Date, _ cache: Cache
    ) -> Int? {
        if cache == .shared, control.has("s-maxage") { return control.seconds("s-maxage") ?? 0 }
        if control.has("max-age") { return control.seconds("max-age") ?? 0 }
        // "0" is not a date, and means that the response has expired (section 5.3).
        return fields["expires"]?.first.map {
            HTTPDate.date($0).map { DeltaSeconds.clamped($0.timeIntervalSince(date)) } ?? 0
        }
    }

    static func heuristicLifetime(_ lastModified: String?, since date: Date) -> Int? {
        lastModified.flatMap(HTTPDate.date)
            .map { min(DeltaSeconds.clamped(date.timeIntervalSince($0)) / 10, 86_400) }
    }

    private static func isHeuristicallyCacheable(_ statusCode: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(statusCode)
    }

    private static func initialAge(
        _ fields: HTTPFields, date: Date, requestedAt: Date, receivedAt: Date
    ) -> Int {
        let apparent = DeltaSeconds.clamped(receivedAt.timeIntervalSince(date))
        // Proxies and clients join several fields into a list.
        let first = fields["age"]?.first?.split(separator: ",", omittingEmptySubsequences: false).first
        let stated = first.flatMap { DeltaSeconds.parse($0.trimmingCharacters(in: .whitespaces)) } ?? 0
        let delay = DeltaSeconds.clamped(receivedAt.timeIntervalSince(requestedAt))
        return max(apparent, DeltaSeconds.sum(stated, delay))
    }
}

/// The values of headers by lowercase name, in the order of the response.
private typealias HTTPFields = [String: [String]]

/// The directives of `Cache-Control`: lowercase names; arguments are tokens or quoted strings (RFC 9111, section 5.2).
private struct CacheControl {
    /// Empty for a directive without one.
    private var arguments: [String: String] = [:]

    init(_ fields: [String]) {
        for directive in fields.flatMap(Self.parts) {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = parts.first?.lowercased(), !name.isEmpty, arguments[name] == nil else { continue }
            arguments[name] = parts.count > 1 ? parts[1].trimmingCharacters(in: ["\""]) : ""
        }
    }

    func has(_ name: String) -> Bool { arguments[name] != nil }

    /// Returns nil if the directive is missing or not a number.
    func seconds(_ name: String) -> Int? { arguments[name].flatMap(DeltaSeconds.parse) }

    /// Splits a field at commas outside of quotes.
    private static func parts(of field: String) -> [String] {
        var (parts, part, isQuoted, isEscaped) = ([String](), "", false, false)
        for character in field {
            if character == ",", !isQuoted {
                parts.append(part)
                part = ""
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped
            part.append(character)
        }
        // In a malformed field, a quote that nothing closes must not hide the directives after it.
        return isQuoted ? field.split(separator: ",").map(String.init) : parts + [part]
    }
}
