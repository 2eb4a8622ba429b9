#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import UIKit

    extension ImageCache {
        /// Does what ``cleanExpiredDiskCache(completion:)`` does within the time that the system gives an app which has entered
        /// the background, and writes what is pending. Called by itself then; in an app extension it does nothing.
        ///
        /// A cache in an app group's container lets go of its folder after that, until the app enters the foreground: see
        /// ``suspend(completion:)``. When the time runs out the clean ends after the batch under way.
        @objc @MainActor public func backgroundCleanExpiredDiskCache() {
            guard let application = UIApplication.ofThisProcess else { return }
            // Discrete: it is no part of what the caller may be counting on this thread.
            let progress = Progress.discreteProgress(totalUnitCount: 0)
            let resumptions = resumptionCount
            let task = BackgroundTask(application) { [weak self] in
                progress.cancel()
                // Now, and on this thread: a file lock in a shared folder must not outlive the task.
                self?.releaseSharedFolder()
            }
            cleanDisk(progress: progress) { [self] in
                prepareForSuspension(unlessResumedSince: resumptions) {
                    DispatchQueue.main.async { task.end() }
                }
            }
        }
    }

    /// Time in the background, asked for when this is made and given back once.
    @MainActor
    private final class BackgroundTask {
        private let application: UIApplication
        private var identifier = UIBackgroundTaskIdentifier.invalid

        /// - Parameter onExpiration: called when the time runs out, just before it is given back.
        init(_ application: UIApplication, onExpiration: @escaping @MainActor @Sendable () -> Void) {
            self.application = application
            identifier = application.beginBackgroundTask(withName: "halcyon.clean") {
                onExpiration()
                self.end()
            }
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
            guard !Bundle.main.bundlePath.hasSuffix(".appex"), responds(to: shared) else { return nil }
            return perform(shared)?.takeUnretainedValue() as? UIApplication
        }
    }
#endif
