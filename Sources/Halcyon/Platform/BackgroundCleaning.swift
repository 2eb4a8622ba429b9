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
            cleanInBackground { onExpiration in
                let granted = Locked<UIBackgroundTaskIdentifier?>(nil)
                // Gives the time back once.
                let end = { @MainActor @Sendable in
                    if let task = granted.replace(with: nil) { application.endBackgroundTask(task) }
                }
                // When the time runs out, it has to be given back within a second or two.
                let task = application.beginBackgroundTask(withName: "halcyon.clean") { onExpiration(end) }
                guard task != .invalid else { return nil }
                granted.withLock { $0 = task }
                return end
            }
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
