#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import UIKit

    extension ImageCache {
        /// Does what ``cleanExpiredDiskCache(completion:)`` does within the time that the system gives an app which has entered
        /// the background, and writes what is pending. Called by itself then; in an app extension it does nothing.
        ///
        /// A cache in an app group's container lets go of its folder after that, until the app enters the foreground: see
        /// ``suspend(completion:)``. If the system gives no time, it lets go at once and cleans nothing. When the time runs out,
        /// what is under way is ended.
        @objc @MainActor public func backgroundCleanExpiredDiskCache() {
            guard let application = UIApplication.ofThisProcess else { return }
            let task = BackgroundTask(application)
            cleanInBackground { task.begin(onExpiration: $0) ? { task.end() } : nil }
        }
    }

    /// Time in the background, given back once.
    @MainActor
    private final class BackgroundTask {
        private let application: UIApplication
        private var identifier = UIBackgroundTaskIdentifier.invalid

        init(_ application: UIApplication) { self.application = application }

        /// - Parameter onExpiration: called when the time runs out, just before it is given back.
        /// - Returns: false if the system gives none.
        func begin(onExpiration: @escaping @MainActor @Sendable () -> Void) -> Bool {
            identifier = application.beginBackgroundTask(withName: "halcyon.clean") {
                onExpiration()
                self.end()
            }
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
        /// nil in an app extension, which has none. `shared` itself must not be linked there.
        fileprivate static var ofThisProcess: UIApplication? {
            let shared = NSSelectorFromString("sharedApplication")
            guard !Bundle.main.bundlePath.hasSuffix(".appex"), UIApplication.responds(to: shared) else { return nil }
            return UIApplication.perform(shared)?.takeUnretainedValue() as? UIApplication
        }
    }
#endif
