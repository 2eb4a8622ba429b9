internal import Foundation

/// When a file can be read.
package enum FileProtection: Equatable, Sendable {
    case none, complete, unlessOpen, untilFirstUnlock

    /// What a call asks for; nil if it leaves that to the folder.
    init?(_ options: Data.WritingOptions) {
        switch options.intersection(.fileProtectionMask) {
        case []: return nil
        case .noFileProtection: self = .none
        case .completeFileProtectionUnlessOpen: self = .unlessOpen
        case .completeFileProtectionUntilFirstUserAuthentication: self = .untilFirstUnlock
        // Also for what later systems add: nothing is stricter.
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
