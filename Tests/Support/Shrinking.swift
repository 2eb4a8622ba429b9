/// Removes everything from a failing sequence that the failure does not need: first halves, then smaller pieces, finally single elements.
///
/// - Parameter fails: whether a shorter sequence still fails. Called about n · log n times.
/// - Returns: a failing sequence from which no single element can be removed.
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
        // Removing one element can make earlier ones removable.
        guard size > 1 || shortest.count < before else { return shortest }
        size = max(1, size / 2)
    }
}
