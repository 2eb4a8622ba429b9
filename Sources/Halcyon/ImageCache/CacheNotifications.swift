public import Foundation

extension Notification.Name {
    /// Posted on the main queue after entries were removed from the disk because they had expired or room had run out; not
    /// after ``ImageCache/clearDiskCache(completion:)``. The object is ``ImageCache/notificationObject``, and the user info has
    /// the names of the removed files under ``KingfisherDiskCacheCleanedHashKey``, an array of strings.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
}

/// Where the notification `Notification.Name.KingfisherDidCleanDiskCache` has the names of the removed files, in its user info:
/// an array of strings. ``ImageCache`` posts it on the main queue after entries have expired or were evicted.
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
