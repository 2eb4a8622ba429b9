internal import Foundation

extension FileProtectionType {
    /// The protection that write options set; nil if they leave it to the folder.
    init?(_ options: Data.WritingOptions) {
        switch options.intersection(.fileProtectionMask) {
        case []: return nil
        case .noFileProtection: self = .none
        case .completeFileProtectionUnlessOpen: self = .completeUnlessOpen
        case .completeFileProtectionUntilFirstUserAuthentication: self = .completeUntilFirstUserAuthentication
        // Also for options that later systems add: `complete` is the strictest.
        default: self = .complete
        }
    }
}
