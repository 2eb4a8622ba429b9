#if canImport(Darwin)
    internal import Foundation

    /// Calls back when the system runs short of memory, and when an app with UIKit enters the background, while this object exists.
    final class MemoryPressure: @unchecked Sendable {
        // Sendable because its members are constants, and both are thread-safe.
        private let source: any DispatchSourceMemoryPressure
        private let observer: any NSObjectProtocol

        init(_ isShort: @escaping @Sendable () -> Void, didEnterBackground: @escaping @Sendable () -> Void) {
            source = DispatchSource.makeMemoryPressureSource(
                eventMask: [.warning, .critical], queue: .global(qos: .userInitiated))
            source.setEventHandler(handler: isShort)
            source.activate()
            // By name, as in `Lifecycle`. On other systems nothing posts it.
            observer = NotificationCenter.default.addObserver(
                forName: .init("UIApplicationDidEnterBackgroundNotification"), object: nil, queue: nil
            ) { _ in didEnterBackground() }
        }

        deinit {
            source.cancel()
            NotificationCenter.default.removeObserver(observer)
        }
    }
#endif
