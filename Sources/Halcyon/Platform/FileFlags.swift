internal import Foundation

/// Settings of Apple platforms for the cache's files.
enum FileFlags {
    /// Makes files created later in the folder readable and writable after the first unlock since boot, even while the device is
    /// locked, and excludes them from backups. Ignores errors: without these flags the files are as safe as the app's others.
    static func markAsCache(_ folder: String) {
        #if canImport(Darwin)
            try? protect(folder, as: .completeUntilFirstUserAuthentication)
            var url = URL(fileURLWithPath: folder, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        #endif
    }

    /// Whether a folder may be shared with the app's extensions, judging by its path.
    static func isInAppGroup(_ path: String) -> Bool { path.contains("/Shared/AppGroup/") }

    /// Sets when a file is readable. Does nothing except on iOS, tvOS, watchOS and visionOS: a Mac encrypts whole volumes.
    static func protect(_ path: String, as protection: FileProtectionType) throws(SystemError) {
        #if canImport(Darwin) && !os(macOS)
            do {
                try FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: path)
            } catch {
                let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
                throw SystemError(
                    "setAttributes", cause?.domain == NSPOSIXErrorDomain ? Int32(clamping: cause?.code ?? 0) : EIO)
            }
        #endif
    }
}
