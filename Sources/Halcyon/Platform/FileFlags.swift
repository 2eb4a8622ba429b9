internal import Foundation

/// What Apple's systems are told of the cache's files.
enum FileFlags {
    /// Files made in the folder later can be read and written from the first unlock after a start on, also while the device is
    /// locked, and are in no backup. No reason to fail: without it a file is as safe as any other of the app.
    static func markAsCache(_ folder: String) {
        #if canImport(Darwin)
            try? protect(folder, as: .untilFirstUnlock)
            var url = URL(fileURLWithPath: folder, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        #endif
    }

    /// Whether a folder may be shared with extensions of the app, by where the system puts such folders.
    static func isInAppGroup(_ path: String) -> Bool { path.contains("/Shared/AppGroup/") }

    /// Sets when a file can be read. Elsewhere than on iOS, tvOS, watchOS and visionOS nothing is done: a Mac's volumes are encrypted as a
    /// whole.
    static func protect(_ path: String, as protection: FileProtection) throws(SystemError) {
        #if canImport(Darwin) && !os(macOS)
            do {
                try FileManager.default.setAttributes([.protectionKey: protection.type], ofItemAtPath: path)
            } catch {
                let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
                throw SystemError(
                    "setAttributes", cause?.domain == NSPOSIXErrorDomain ? Int32(clamping: cause?.code ?? 0) : EIO)
            }
        #endif
    }
}
