import Foundation

/// A value that two threads share.
final class Locker<Value: Sendable>: Sendable {
    private let lock = NSLock()
    private nonisolated(unsafe) var current: Value

    init(_ value: Value) { current = value }

    var value: Value {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&current) } }
}
