#if canImport(UIKit) || canImport(AppKit)
    internal import Foundation

    /// Does for a cache what the system's messages to the app ask for, as long as this exists. Keeps no cache alive.
    final class Lifecycle {
        private typealias Reaction = @MainActor @Sendable (ImageCache) -> Void
        private let observers: [any NSObjectProtocol]

        init(cache: ImageCache) {
            observers = Self.reactions.map { message, react in
                // The system sends them on the main queue, where the block is called at once.
                NotificationCenter.default.addObserver(
                    forName: Notification.Name(message), object: nil, queue: .main
                ) { [weak cache] _ in
                    guard let cache else { return }
                    MainActor.assumeIsolated { react(cache) }
                }
            }
        }

        deinit { observers.forEach { NotificationCenter.default.removeObserver($0) } }

        // By name: in some SDKs the constants may be read on the main actor only, and a cache is made anywhere.
        #if os(watchOS)
            private static let reactions: [(String, Reaction)] = [
                ("WKApplicationDidEnterBackgroundNotification", pause),
                ("WKApplicationWillEnterForegroundNotification", { $0.resumeAfterSuspension() }),
            ]
        #elseif canImport(UIKit)
            private static let reactions: [(String, Reaction)] = [
                ("UIApplicationDidReceiveMemoryWarningNotification", { $0.clearMemoryCache() }),
                // Whatever is done by the time the process ends is done.
                ("UIApplicationWillTerminateNotification", { $0.cleanExpiredDiskCache() }),
                ("UIApplicationDidEnterBackgroundNotification", { $0.backgroundCleanExpiredDiskCache() }),
                ("UIApplicationWillEnterForegroundNotification", { $0.resumeAfterSuspension() }),
                // An extension gets these instead.
                ("NSExtensionHostDidEnterBackgroundNotification", pause),
                ("NSExtensionHostWillEnterForegroundNotification", { $0.resumeAfterSuspension() }),
            ]
        #else
            private static let reactions: [(String, Reaction)] = [
                ("NSApplicationDidResignActiveNotification", { $0.cleanExpiredDiskCache() })
            ]
        #endif

        #if canImport(UIKit)
            private static let pause: Reaction = { cache in ExpiringActivity.system.map(cache.pauseInBackground) }
        #endif
    }
#else
    /// Nobody tells a process here that it goes to the background.
    struct Lifecycle {
        init(cache: ImageCache) {}
    }
#endif
