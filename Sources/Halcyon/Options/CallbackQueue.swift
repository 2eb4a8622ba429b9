public import Dispatch
public import Foundation

/// Where a completion handler is called.
public enum CallbackQueue: Sendable {
    /// Asynchronously on the main queue.
    case mainAsync
    /// At once when this is the main thread or the main queue, otherwise asynchronously on the main queue.
    ///
    /// In a program whose main queue is never served (a command line tool that waits on a semaphore) such a handler never
    /// comes: name another queue there, or use the async functions, which never pass through the main queue.
    case mainCurrentOrAsync
    /// At once, on whatever thread did the work. Others may wait for it: a handler that blocks belongs on a queue of its own.
    case untouch
    /// Asynchronously on this queue.
    case dispatch(DispatchQueue)
    /// As an operation of this queue.
    case operationQueue(any CallbackOperationQueue)

    /// Calls `block` there.
    public func execute(_ block: @Sendable @escaping () -> Void) {
        switch self {
        case .mainAsync: DispatchQueue.main.async(execute: block)
        case .mainCurrentOrAsync: MainQueue.isCurrent ? block() : DispatchQueue.main.async(execute: block)
        case .untouch: block()
        case .dispatch(let queue): queue.async(execute: block)
        case .operationQueue(let queue): queue.addOperation(block)
        }
    }
}

/// Where work is done.
public typealias ExecutionQueue = CallbackQueue

/// What a callback needs of an operation queue.
public protocol CallbackOperationQueue: AnyObject, Sendable {
    /// The dispatch queue beneath, if there is one.
    var underlyingQueue: DispatchQueue? { get }
    /// Runs `block` as an operation of its own, some time.
    func addOperation(_ block: @Sendable @escaping () -> Void)
}

extension OperationQueue: CallbackOperationQueue {}

/// Tells whether code runs on the main queue.
///
/// `Thread.isMainThread` alone is not enough: with an async `main` on Linux the main actor runs on another thread.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}
