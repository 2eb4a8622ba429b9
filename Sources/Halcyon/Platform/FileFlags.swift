internal import Foundation

/// What Apple's systems are told of the cache's files. None of it is a reason to fail: without it a file is as safe as any
/// other of the app.
enum FileFlags {
    /// Files made in the folder later can be read and written from the first unlock after a start on, also while the device is
    /// locked, and are in no backup.
    static func markAsCache(_ folder: String) {
        #if canImport(Darwin)
            protect(folder, as: .completeUntilFirstUserAuthentication)
            var url = URL(fileURLWithPath: folder, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        #endif
    }

    /// Protects a file as the options ask for.
    static func protect(_ path: String, as options: Data.WritingOptions) {
        #if canImport(Darwin)
            switch options.intersection(.fileProtectionMask) {
            case []: break
            case .noFileProtection: protect(path, as: FileProtectionType.none)
            case .completeFileProtectionUnlessOpen: protect(path, as: .completeUnlessOpen)
            case .completeFileProtectionUntilFirstUserAuthentication:
                protect(path, as: .completeUntilFirstUserAuthentication)
            // Also for what later systems add: nothing is stricter.
            default: protect(path, as: .complete)
            }
        #endif
    }

    #if canImport(Darwin)
        private static func protect(_ path: String, as type: FileProtectionType) {
            // A Mac's volumes are encrypted as a whole.
            #if !os(macOS)
                try? FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: path)
            #endif
        }
    #endif
}
