// On Apple's systems an image is the system's own.
#if canImport(UIKit)
    import Foundation
    import Halcyon
    import UIKit

    extension AvatarCache {
        func icon(for url: URL) -> UIImage? { cache.retrieveImageInMemoryCache(forKey: url.cacheKey) }

        func setIcon(_ icon: UIImage, for url: URL) { cache.store(icon, forKey: url.cacheKey, toDisk: false) }

        #if !os(watchOS)
            @MainActor func didEnterBackground() { cache.backgroundCleanExpiredDiskCache() }
        #endif
    }
#elseif canImport(AppKit)
    import AppKit
    import Foundation
    import Halcyon

    extension AvatarCache {
        func icon(for url: URL) -> NSImage? { cache.retrieveImageInMemoryCache(forKey: url.cacheKey) }

        func setIcon(_ icon: NSImage, for url: URL) { cache.store(icon, forKey: url.cacheKey, toDisk: false) }
    }
#endif
