#if !canImport(UIKit) && !canImport(AppKit)
    /// Nobody tells a process here that it goes to the background.
    struct Lifecycle {
        init(cache: ImageCache) {}
    }
#endif
