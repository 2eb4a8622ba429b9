#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import UIKit

    extension ImageCache {
        /// Cleans like ``cleanExpiredDiskCache(completion:)`` in the time that an app gets when it enters the background, and
        /// writes what is pending. Runs automatically at that point. Does nothing in an app extension.
        ///
        /// A cache in an app group's container then releases its directory until the app enters the foreground: see
        /// ``suspend(completion:)``. If the system grants no time, the cache releases it at once without cleaning. If the time
        /// runs out, work under way ends.
        @objc @MainActor public func backgroundCleanExpiredDiskCache() {
            guard let application = UIApplication.ofThisProcess else { return }
            let task = BackgroundTask(application)
            cleanInBackground { onExpiration in
                let end = { @MainActor @Sendable in task.end() }
                return task.begin(onExpiration: { onExpiration(end) }) ? end : nil
            }
        }
    }

    /// Background time that is given back once.
    @MainActor
    private final class BackgroundTask {
        private let application: UIApplication
        private var identifier = UIBackgroundTaskIdentifier.invalid

        init(_ application: UIApplication) { self.application = application }

        /// - Parameter onExpiration: called when the time runs out. It has to give the time back within a second or two.
        /// - Returns: false if the system grants no time.
        func begin(onExpiration: @escaping @MainActor @Sendable () -> Void) -> Bool {
            identifier = application.beginBackgroundTask(
                withName: "halcyon.clean", expirationHandler: onExpiration)
            return identifier != .invalid
        }

        func end() {
            guard identifier != .invalid else { return }
            let ended = identifier
            identifier = .invalid
            application.endBackgroundTask(ended)
        }
    }

    extension UIApplication {
        /// nil in an app extension, which has no application object. `shared` itself must not be linked there.
        fileprivate static var ofThisProcess: UIApplication? {
            let shared = NSSelectorFromString("sharedApplication")
            guard !Bundle.main.bundlePath.hasSuffix(".appex"), UIApplication.responds(to: shared) else { return nil }
            return UIApplication.perform(shared)?.takeUnretainedValue() as? UIApplication
        }
    }
#endif
