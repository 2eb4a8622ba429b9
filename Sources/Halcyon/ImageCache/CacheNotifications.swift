public import Foundation

extension Notification.Name {
    /// Posted on the main queue after entries were removed from the disk because they expired or a limit was exceeded, but not
    /// after ``ImageCache/clearDiskCache(completion:)``. The object is ``ImageCache/notificationObject``. The user info holds the
    /// names of the removed files under ``KingfisherDiskCacheCleanedHashKey``, an array of strings.
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
        DispatchQueue.main.async {
            NotificationCenter.default.post(
                name: .KingfisherDidCleanDiskCache, object: self.notificationObject,
                userInfo: [KingfisherDiskCacheCleanedHashKey: names])
        }
    }
}
