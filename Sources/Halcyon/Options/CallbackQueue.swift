public import Foundation

/// The queue on which a completion handler is called.
public enum CallbackQueue: Sendable {
    /// Asynchronously on the main queue.
    case mainAsync
    /// At once if on the main thread or the main queue, otherwise asynchronously on the main queue.
    ///
    /// If a program does not run its main queue, such as a command-line tool that waits on a semaphore, the handler is never
    /// called. Use another queue there, or the async functions, which never use the main queue.
    case mainCurrentOrAsync
    /// At once, on the thread that did the work. Other work may wait for that thread, so use another queue for a handler that
    /// blocks.
    case untouch
    /// Asynchronously on a dispatch queue.
    case dispatch(DispatchQueue)
    /// As an operation of an operation queue.
    case operationQueue(any CallbackOperationQueue)

    /// Calls `block` on the queue.
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

/// The queue on which work runs.
public typealias ExecutionQueue = CallbackQueue

/// The part of an operation queue that a callback needs.
public protocol CallbackOperationQueue: AnyObject, Sendable {
    /// The underlying dispatch queue, if there is one.
    var underlyingQueue: DispatchQueue? { get }
    /// Runs `block` later as an operation.
    func addOperation(_ block: @Sendable @escaping () -> Void)
}

extension OperationQueue: CallbackOperationQueue {}

/// Checks whether code runs on the main queue.
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
