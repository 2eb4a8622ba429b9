public import Foundation

extension Notification.Name {
    /// Posted on the main queue after entries were removed from the disk because they expired or a limit was exceeded, but not
    /// after ``ImageCache/clearDiskCache(completion:)``. The object is ``ImageCache/notificationObject``. The user info holds the
    /// names of the removed files under ``KingfisherDiskCacheCleanedHashKey``, an array of strings. One notification may tell about several
    /// cleans.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
}

/// The user info key of `Notification.Name.KingfisherDidCleanDiskCache` for the names of the removed files, an array of strings.
/// ``ImageCache`` posts that notification on the main queue after entries have expired or were evicted.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"

extension ImageCache {
    func postDidClean(removed names: [String]) {
        guard !names.isEmpty else { return }
        let isPosting = cleanedNames.withLock { cleaned in
            let isPosting = !cleaned.isEmpty
            if cleaned.count >= Self.cleanedNameLimit { cleaned = [] }
            cleaned += names
            return isPosting
        }
        // In a process that does not run its main queue, this block stays for good: one of them, which does not keep the cache.
        guard !isPosting else { return }
        Self.onMainQueue { [weak self] in
            guard let self else { return }
            NotificationCenter.default.post(
                name: .KingfisherDidCleanDiskCache, object: notificationObject,
                userInfo: [KingfisherDiskCacheCleanedHashKey: cleanedNames.replace(with: [])])
        }
    }

    /// Calls a notification or a handler that follows one, in this order.
    ///
    /// Where Foundation is Corelibs', an observer that names `OperationQueue.main` waits on that queue for a block of the same queue, unless
    /// Foundation knows that it runs there. So this goes through that queue, behind the operations that wait there.
    static func onMainQueue(_ body: (@Sendable () -> Void)?) {
        guard let body else { return }
        #if canImport(Darwin)
            DispatchQueue.main.async(execute: body)
        #else
            OperationQueue.main.addOperation(body)
        #endif
    }

    /// The number of names after which those that were not posted yet are dropped.
    private static let cleanedNameLimit = 16_384
}
