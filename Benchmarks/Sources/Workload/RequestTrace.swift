/// The requests to a cache that holds a part of all keys: most requests are for a few keys.
package struct RequestTrace {
    /// The keys by number, in the order of the requests. Those of scans begin after ``keyCount`` and are requested once.
    package let requests: [Int]

    package static let keyCount = 50_000

    /// 300,000 requests for 50,000 keys (Zipf 0.9).
    ///
    /// - Parameter hasScans: whether 3,000 requests for new keys follow each 10,000 requests.
    package init(hasScans: Bool) {
        var randomness = Randomness()
        let zipf = Zipf(count: Self.keyCount, exponent: 0.9)
        var requests: [Int] = []
        var nextOfScan = Self.keyCount
        for _ in 0..<30 {
            for _ in 0..<10_000 { requests.append(zipf.next(using: &randomness)) }
            guard hasScans else { continue }
            requests += nextOfScan..<nextOfScan + 3_000
            nextOfScan += 3_000
        }
        self.requests = requests
    }
}
