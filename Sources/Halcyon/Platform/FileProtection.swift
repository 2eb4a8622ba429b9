internal import Foundation

/// When a file is readable.
package enum FileProtection: Equatable, Sendable {
    case none, complete, unlessOpen, untilFirstUnlock

    /// The protection that write options set; nil if they leave it to the folder.
    init?(_ options: Data.WritingOptions) {
        switch options.intersection(.fileProtectionMask) {
        case []: return nil
        case .noFileProtection: self = .none
        case .completeFileProtectionUnlessOpen: self = .unlessOpen
        case .completeFileProtectionUntilFirstUserAuthentication: self = .untilFirstUnlock
        // Also for options that later systems add: `complete` is the strictest.
        default: self = .complete
        }
    }

    #if canImport(Darwin)
        var type: FileProtectionType {
            switch self {
            case .none: .none
            case .complete: .complete
            case .unlessOpen: .completeUnlessOpen
            case .untilFirstUnlock: .completeUntilFirstUserAuthentication
            }
        }
    #endif
}
