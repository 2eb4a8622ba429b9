/// Requests of a cache that holds a part of what exists: a few keys are asked for most of the time.
package struct RequestTrace {
    /// Keys by number, in the order in which they are asked for. Those of scans begin after ``keyCount`` and are asked for once.
    package let requests: [Int]

    package static let keyCount = 50_000

    /// 300,000 requests of 50,000 keys (Zipf 0.9).
    ///
    /// - Parameter hasScans: whether 3,000 keys that come only once follow each 10,000 requests.
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
