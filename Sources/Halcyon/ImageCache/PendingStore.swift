internal import Foundation

/// A store that has been called and has not ended.
///
/// Its image is serialized once, by the first to need the bytes: a cache's queues when the store's turn comes, or an earlier load of
/// the same key.
final class PendingStore: @unchecked Sendable {
    // Sendable because its variables are guarded by locks.
    typealias Bytes = Result<Data, KingfisherError>

    let call: StoreCall
    var blob: DiskLoad.Blob { call.blob }
    /// nil once a thread has begun to serialize.
    private let serialization: Locked<(@Sendable () -> Bytes)?>
    private let result: Locked<Bytes?>
    /// Empty once ``result`` is set; nil if it was set from the start.
    private let isSerializing: DispatchGroup?

    init(_ call: StoreCall) {
        self.call = call
        switch call.content {
        case .bytes(let data): (serialization, result, isSerializing) = (Locked(nil), Locked(.success(data)), nil)
        case .image(let serialize):
            (serialization, result, isSerializing) = (Locked(serialize), Locked(nil), DispatchGroup())
        }
        isSerializing?.enter()
    }

    deinit {
        // Of a store that was not wanted: a group that was entered and not left is never released.
        if serialization.replace(with: nil) != nil { isSerializing?.leave() }
    }

    var isSerialized: Bool { result.withLock { $0 != nil } }

    /// Whether the serializer has returned no bytes.
    var hasFailed: Bool {
        result.withLock { if case .failure = $0 { true } else { false } }
    }

    /// Serializes on this thread, unless another thread has begun to.
    func serialize() {
        guard let serialize = serialization.replace(with: nil) else { return }
        let bytes = withAutoreleasePool(serialize)
        result.withLock { $0 = bytes }
        isSerializing?.leave()
    }

    /// Serializes, or waits for the thread that does.
    func bytes() -> Bytes {
        serialize()
        isSerializing?.wait()
        guard let bytes = result.withLock({ $0 }) else { preconditionFailure("A group is empty too early.") }
        return bytes
    }

    /// Calls `handler` as soon as ``bytes()`` would not wait.
    func onceSerialized(_ handler: @escaping @Sendable () -> Void) {
        isSerializing?.notify(queue: .global(qos: .userInitiated), execute: handler) ?? handler()
    }
}
