internal import HalcyonSQLite

/// The elements of one transaction. Ends early, but not before the first, once the transaction has held the lock for
/// ``Tuning/batchTime``.
final class TimedBatch<Element>: Sequence, IteratorProtocol {
    private let elements: ArraySlice<Element>
    private let end: MonotonicTime
    private var rest: ArraySlice<Element>
    private var isCut = false
    /// Those that need no further transaction. If nothing has asked for the others, they do not, either.
    var done: ArraySlice<Element> { isCut ? elements[..<rest.startIndex] : elements }

    init(_ elements: ArraySlice<Element>, _ tuning: Tuning) {
        (self.elements, rest) = (elements, elements)
        end = MonotonicTime.now.adding(milliseconds: tuning.batchTime)
    }

    func next() -> Element? {
        guard !rest.isEmpty, !isCut else { return nil }
        isCut = rest.startIndex > elements.startIndex && end.secondsLeft <= 0
        return isCut ? nil : rest.removeFirst()
    }
}
