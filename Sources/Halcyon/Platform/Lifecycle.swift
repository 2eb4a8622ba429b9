#if canImport(UIKit) || canImport(AppKit)
    internal import Foundation

    /// Reacts to the system's notifications on behalf of a cache, while this object exists. Does not retain the cache.
    final class Lifecycle {
        private typealias Reaction = @MainActor @Sendable (ImageCache) -> Void
        private let observers: [any NSObjectProtocol]

        init(cache: ImageCache) {
            observers = Self.reactions.map { message, react in
                // The system posts them on the main queue, so the block is called at once.
                NotificationCenter.default.addObserver(
                    forName: message, object: nil, queue: .main
                ) { [weak cache] _ in
                    guard let cache else { return }
                    MainActor.assumeIsolated { react(cache) }
                }
            }
        }

        deinit { observers.forEach { NotificationCenter.default.removeObserver($0) } }

        // By name: in some SDKs the constants are isolated to the main actor, but a cache may be created on any thread. Foundation's
        // are not.
        #if os(watchOS)
            private static let reactions: [(Notification.Name, Reaction)] = [
                (.init("WKApplicationDidEnterBackgroundNotification"), pause),
                (.init("WKApplicationWillEnterForegroundNotification"), { $0.resumeAfterSuspension() }),
            ]
        #elseif canImport(UIKit)
            private static let reactions: [(Notification.Name, Reaction)] = [
                (.init("UIApplicationDidReceiveMemoryWarningNotification"), { $0.clearMemoryCache() }),
                // Cleans as much as it can before the process ends.
                (.init("UIApplicationWillTerminateNotification"), { $0.cleanExpiredDiskCache() }),
                (.init("UIApplicationDidEnterBackgroundNotification"), enterBackground),
                (.init("UIApplicationWillEnterForegroundNotification"), { $0.resumeAfterSuspension() }),
                // An extension gets these instead.
                (.NSExtensionHostDidEnterBackground, pause),
                (.NSExtensionHostWillEnterForeground, { $0.resumeAfterSuspension() }),
            ]
        #else
            private static let reactions: [(Notification.Name, Reaction)] = [
                (.init("NSApplicationDidResignActiveNotification"), { $0.cleanExpiredDiskCache() })
            ]
        #endif

        #if canImport(UIKit) && !os(watchOS)
            private static let enterBackground: Reaction = { cache in
                cache.releaseMemoryInBackground()
                cache.backgroundCleanExpiredDiskCache()
            }
        #endif

        #if canImport(UIKit)
            private static let pause: Reaction = { cache in ExpiringActivity.system.map(cache.pauseInBackground) }
        #endif
    }
#else
    /// This system does not notify a process that it enters the background.
    struct Lifecycle {
        init(cache: ImageCache) {}
    }
#endif
