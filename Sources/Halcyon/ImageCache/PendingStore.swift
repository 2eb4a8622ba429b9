internal import Foundation

/// A store that has been called and has not ended.
///
/// Its image is serialized once, by the first to need the bytes: a cache's queues when the store's turn comes, or an earlier load of
/// the same key.
final class PendingStore: Sendable {
    typealias Bytes = Result<Data, KingfisherError>

    /// Unserialized: the closure that serializes the image, which may take CPU time.
    enum Content: Sendable { case unserialized(@Sendable () -> Bytes), serializing, serialized(Bytes) }

    let call: StoreCall
    var blob: DiskLoad.Blob { call.blob }
    private let state: Locked<Content>
    /// Empty once the bytes are there.
    private let isSerializing = DispatchGroup()

    init(_ call: StoreCall) {
        self.call = call
        state = Locked(call.content)
        if !isSerialized { isSerializing.enter() }
    }

    deinit {
        // Of a store that was not wanted: a group that was entered and not left is never released.
        if case .unserialized = state.withLock({ $0 }) { isSerializing.leave() }
    }

    var isSerialized: Bool { state.withLock { if case .serialized = $0 { true } else { false } } }

    /// Whether the serializer has returned no bytes.
    var hasFailed: Bool { state.withLock { if case .serialized(.failure) = $0 { true } else { false } } }

    /// Serializes on this thread, unless another thread has begun to.
    func serialize() {
        let former = state.withLock { state in
            defer { if case .unserialized = state { state = .serializing } }
            return state
        }
        guard case .unserialized(let serialize) = former else { return }
        let bytes = withAutoreleasePool(serialize)
        state.withLock { $0 = .serialized(bytes) }
        isSerializing.leave()
    }

    /// Serializes, or waits for the thread that does.
    func bytes() -> Bytes {
        serialize()
        isSerializing.wait()
        guard case .serialized(let bytes) = state.withLock({ $0 }) else { preconditionFailure("Empty too early.") }
        return bytes
    }

    /// Calls `handler` as soon as ``bytes()`` would not wait.
    func onceSerialized(_ handler: @escaping @Sendable () -> Void) {
        isSerializing.notify(queue: .global(qos: .userInitiated), execute: handler)
    }
}
