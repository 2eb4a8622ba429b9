import Halcyon

/// One thing that is done to a folder with two storages on it, 0 and 1. Written out it is Swift again: ``text(of:)``.
enum StorageAct: Equatable, Sendable {
    case store(String, Int, Term? = nil, by: Int = 0)
    case storeIfNew(String, Int, by: Int = 0)
    case read(String, Extension, by: Int = 0)
    case pin(String, Bool, by: Int = 0)
    /// Whether reads leave its expiration as it is.
    case keep(String, Bool, by: Int = 0)
    case remove(String, by: Int = 0)
    case removeMatching(Choice, by: Int = 0)
    case removeExpired(by: Int = 0)
    case evict(by: Int = 0)
    case removeAll(by: Int = 0)
    /// So many seconds pass, or the clock is put back.
    case pass(Double)
    case setLimits(bytes: UInt, entries: Int, by: Int = 0)
    case setExpiration(Term, by: Int = 0)
    case flush(by: Int = 0)
    case reopen(by: Int = 0)
    case removeFolder
    case spoil(String, Damage)
    /// Each key is looked for and read by each storage, whatever that does to damaged ones.
    case look

    /// Whether it changes what files stand for, and not rows alone.
    var movesFiles: Bool {
        switch self {
        case .store, .storeIfNew, .remove, .removeAll, .removeFolder, .spoil: true
        default: false
        }
    }

    enum Term: Equatable, Sendable { case never, seconds(Int), expired }
    enum Extension: Equatable, Sendable { case none, cacheTime, to(Term) }
    enum Choice: String, Sendable { case everything, expired, unpinned, small }
    /// What another program does to a blob.
    enum Damage: String, CaseIterable, Sendable { case delete, replace, cut }

    /// To be pasted into `StorageModelTests.found`.
    static func text(of acts: [StorageAct]) -> String {
        "[\(acts.map { ".\($0)" }.joined(separator: ", "))]"
    }
}

extension StorageAct.Term: CustomDebugStringConvertible {
    var debugDescription: String {
        switch self {
        case .never: ".never"
        case .seconds(let seconds): ".seconds(\(seconds))"
        case .expired: ".expired"
        }
    }

    var expiration: StorageExpiration {
        switch self {
        case .never: .never
        case .seconds(let seconds): .seconds(Double(seconds))
        case .expired: .expired
        }
    }
}

extension StorageAct.Extension: CustomDebugStringConvertible {
    var debugDescription: String {
        switch self {
        case .none: ".none"
        case .cacheTime: ".cacheTime"
        case .to(let term): ".to(\(term.debugDescription))"
        }
    }

    var extending: ExpirationExtending {
        switch self {
        case .none: .none
        case .cacheTime: .cacheTime
        case .to(let term): .expirationTime(term.expiration)
        }
    }
}

extension StorageAct.Choice: CustomDebugStringConvertible {
    var debugDescription: String { ".\(rawValue)" }

    var filter: DiskStorage.EntryFilter {
        switch self {
        case .everything: .all
        case .expired: .init(isExpired: true)
        case .unpinned: .init(isPinned: false)
        case .small: .init(maximumSize: 10)
        }
    }
}

extension StorageAct.Damage: CustomDebugStringConvertible {
    var debugDescription: String { ".\(rawValue)" }
}
