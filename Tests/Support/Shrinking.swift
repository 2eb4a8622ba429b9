/// Leaves out of a failing sequence whatever it fails without: halves first, then smaller pieces, in the end single elements.
///
/// - Parameter fails: whether what is left still fails. Asked some n · log n times.
/// - Returns: a sequence that fails, and from which no single element can be left out.
package func shrunk<Element>(_ sequence: [Element], while fails: ([Element]) throws -> Bool) rethrows -> [Element] {
    var shortest = sequence
    var size = max(1, sequence.count / 2)
    while true {
        let before = shortest.count
        var start = 0
        while start < shortest.count {
            var candidate = shortest
            candidate.removeSubrange(start..<min(start + size, candidate.count))
            if try fails(candidate) { shortest = candidate } else { start += size }
        }
        // What one element was needed for may have gone after it.
        guard size > 1 || shortest.count < before else { return shortest }
        size = max(1, size / 2)
    }
}
