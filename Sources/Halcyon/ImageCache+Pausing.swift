internal import Foundation

extension ImageCache {
    /// Writes what is pending and lets go of the disk, until ``resume()``; see ``DiskStorage/Backend/suspend()``.
    ///
    /// Stores that were called before are finished first. Memory goes on as usual. On iOS an app's caches in app group
    /// containers do it by themselves when the app has entered the background; an extension has to, before it lets the system
    /// suspend it.
    ///
    /// - Parameter handler: called on the cache's queue when nothing is held any more.
    public func suspend(completion handler: (@Sendable () -> Void)? = nil) {
        let resumptions = resumptions.withLock { $0 }
        ioQueue.async { [self] in
            diskStorage.suspend()
            // Somebody may have called resume() while this was waiting for its turn; then that was the last word.
            if self.resumptions.withLock({ $0 }) != resumptions { diskStorage.resume() }
            handler?()
        }
    }

    /// Returns when nothing is held any more.
    public func suspend() async {
        await withCheckedContinuation { continuation in suspend { continuation.resume() } }
    }

    /// Ends ``suspend(completion:)``. At once: what is called from now on finds the disk.
    public func resume() {
        resumptions.withLock { $0 += 1 }
        diskStorage.resume()
    }
}
