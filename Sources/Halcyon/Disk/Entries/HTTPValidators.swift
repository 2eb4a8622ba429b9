public import Foundation

extension DiskStorage {
    /// How to validate an entry's bytes with the server they came from, and until when that is not necessary.
    ///
    /// Nothing here contacts a server. Make it from the headers of an HTTP response with ``HTTPFreshness``:
    ///
    /// ```swift
    /// let response = HTTPFreshness(headers: headers, requestedAt: sent, receivedAt: Date(), cache: .shared)
    /// if response.isStorable {
    ///     try storage.store(value: data, forKey: key, attributes: .init(validators: .init(response)))
    /// }
    /// ```
    ///
    /// If the server answers 304, renew the validators without writing the bytes again:
    ///
    /// ```swift
    /// try storage.update(forKey: key) { .init(validators: $0.validators?.renewed(by: response)) }
    /// ```
    public struct HTTPValidators: Sendable, Hashable {
        /// `ETag`, including its quotes (RFC 9110, section 8.8.3).
        public var etag: String?
        /// `Last-Modified`, as the server wrote it, because `If-Modified-Since` has to repeat it (RFC 9110, section 8.8.2).
        public var lastModified: String?
        /// Seconds for which the response is fresh, counted from its origin: `max-age` of `Cache-Control` (RFC 9111, section
        /// 5.2.2.1), or ``HTTPFreshness/lifetime``. nil if unknown.
        public var maxAge: Int?
        /// When the server last sent or confirmed the bytes. If you set nil, the storage returns the time of the store.
        public var validatedAt: Date?
        /// Seconds that had passed since the origin at that time (``HTTPFreshness/initialAge``).
        public var age: Int?
        /// Seconds after the response becomes stale in which it may be used while it is being validated (RFC 5861, section 3).
        public var staleWhileRevalidate: Int?
        /// Whether a stale response must not be used before it is validated (RFC 9111, sections 5.2.2.2 and 5.2.2.4).
        public var mustRevalidate: Bool

        /// Leave out headers that the response does not have.
        public init(
            etag: String? = nil, lastModified: String? = nil, maxAge: Int? = nil, validatedAt: Date? = nil,
            age: Int? = nil, staleWhileRevalidate: Int? = nil, mustRevalidate: Bool = false
        ) {
            self.etag = etag
            self.lastModified = lastModified
            self.maxAge = maxAge
            self.validatedAt = validatedAt
            self.age = age
            self.staleWhileRevalidate = staleWhileRevalidate
            self.mustRevalidate = mustRevalidate
        }

        /// Creates the validators of a response.
        public init(_ response: HTTPFreshness) {
            self.init(
                etag: response.etag, lastModified: response.lastModified, maxAge: response.lifetime,
                validatedAt: response.receivedAt, age: response.initialAge,
                staleWhileRevalidate: response.staleWhileRevalidate, mustRevalidate: response.mustRevalidate)
        }

        /// Returns the validators after the server has confirmed the bytes with a 304. What it leaves out stays as it is (RFC 9111,
        /// section 4.3.4). `Cache-Control` counts as a whole: if the response has it, none of the old directives remains. If it has
        /// only `Expires`, the shorter of the two lifetimes counts. If it has neither, the old lifetime begins anew. With a
        /// `Cache-Control` that states no lifetime, ``lastModified`` gives an estimate, as in ``HTTPFreshness/isHeuristic``.
        ///
        /// If the response forbids your cache to keep the bytes (`no-store`, or `private` in a shared cache), each use must be
        /// validated. A response with another `ETag`, or without two tags to compare but with another `Last-Modified`, is about other
        /// bytes, and changes nothing.
        public func renewed(by response: HTTPFreshness) -> Self {
            guard areConfirmed(by: response) else { return self }
            var renewed = Self(response)
            renewed.etag = response.etag ?? etag
            renewed.lastModified = response.lastModified ?? lastModified
            if !response.hasCacheControl {
                // Stored directives go before a new `Expires` (section 5.3). Whether the stored lifetime comes from them is unknown.
                renewed.maxAge =
                    maxAge.map { response.statesLifetime ? min($0, response.lifetime) : $0 } ?? renewed.maxAge
                (renewed.staleWhileRevalidate, renewed.mustRevalidate) = (staleWhileRevalidate, mustRevalidate)
            } else if !response.statesLifetime {
                // Of the stored response, because a 304 need not repeat the date (section 4.3.4).
                renewed.maxAge = HTTPFreshness.heuristicLifetime(renewed.lastModified, since: response.receivedAt) ?? 0
            }
            if response.forbidsKeeping {
                (renewed.maxAge, renewed.staleWhileRevalidate, renewed.mustRevalidate) = (0, 0, true)
            }
            return renewed
        }

        /// Whether a 304 is about these bytes. Compares entity tags weakly (RFC 9110, section 8.8.3.2), and admits a tag where there was
        /// none. RFC 9111, section 4.3.4, is stricter, but servers that compress weaken the tag of the whole response alone. Without
        /// two tags it compares the dates: a server may answer 304 if it now has an older file.
        func areConfirmed(by response: HTTPFreshness) -> Bool {
            guard let etag, let other = response.etag else {
                return lastModified == nil || response.lastModified == nil || lastModified == response.lastModified
            }
            func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
            return opaque(etag).utf8.elementsEqual(opaque(other).utf8)
        }

        /// Whether the bytes may be used without asking the server. False if ``maxAge`` or ``validatedAt`` is nil, and if ``validatedAt``
        /// is more than five minutes after `time`.
        public func isFresh(at time: Date = Date()) -> Bool { lasts(0, at: time) }

        /// Whether the bytes may be used while they are being validated. True if they are fresh.
        public func isUsable(at time: Date = Date()) -> Bool {
            lasts(mustRevalidate ? 0 : staleWhileRevalidate ?? 0, at: time)
        }

        /// Seconds since the origin made or confirmed the bytes (`current_age`, RFC 9111, section 4.2.3); nil if ``validatedAt`` is.
        public func currentAge(at time: Date = Date()) -> Int? {
            validatedAt.map {
                DeltaSeconds.sum(DeltaSeconds.clamped(age), DeltaSeconds.clamped(time.timeIntervalSince($0)))
            }
        }

        private func lasts(_ seconds: Int, at time: Date) -> Bool {
            guard let maxAge, let validatedAt, let age = currentAge(at: time) else { return false }
            // Times of stores may be a little ahead of the clock. If it is more, the clock was ahead, and the age is unknown.
            guard validatedAt.timeIntervalSince(time) <= 300 else { return false }
            return DeltaSeconds.lasts(DeltaSeconds.clamped(maxAge), DeltaSeconds.clamped(seconds), atAge: age)
        }

        var isEmpty: Bool { self == Self() }
    }
}
