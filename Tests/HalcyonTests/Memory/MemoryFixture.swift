import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

/// A value that costs what it is told to.
struct Weight: CacheCostCalculable, Equatable, Sendable, ExpressibleByIntegerLiteral {
    let cacheCost: Int
    init(_ cost: Int) { cacheCost = cost }
    init(integerLiteral cost: Int) { self.init(cost) }
}

/// A value that tells its end.
final class Token: CacheCostCalculable, Sendable {
    let cacheCost = 1
    private let onDeinit: @Sendable () -> Void
    init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
    deinit { onDeinit() }
}

/// The stores a backend can have under it: what is true of both is tested with both.
enum Underlying: CaseIterable, Sendable {
    case recent, system

    #if !canImport(Darwin)
        /// Corelibs' cache leaks what is in it when it goes: the address sanitizer would count that as ours.
        static var allCases: [Underlying] {
            let isCountingLeaks = dlsym(nil, "__asan_init") != nil
            return isCountingLeaks ? [.recent] : [.recent, .system]
        }
    #endif

    /// Those that hold what is promised of Apple's `NSCache`. That of corelibs Foundation, which is never used beneath a
    /// storage, compares keys as Swift does, releases objects under its lock, and leaks them with itself.
    static var sound: [Underlying] {
        #if canImport(Darwin)
            allCases
        #else
            [.recent]
        #endif
    }

    func make() -> any MemoryObjects {
        switch self {
        case .recent: RecentMemoryObjects()
        case .system: SystemMemoryObjects()
        }
    }
}

/// A memory storage with a clock of its own and no timer.
struct MemoryFixture<T: CacheCostCalculable & Sendable> {
    let clock = ManualClock()
    let storage: MemoryStorage.Backend<T>

    init(
        of type: T.Type = T.self, _ underlying: Underlying = .recent, totalCostLimit: Int = 0,
        configure: (inout MemoryStorage.Config) -> Void = { _ in }
    ) {
        var config = MemoryStorage.Config(totalCostLimit: totalCostLimit, cleanInterval: 0)
        configure(&config)
        storage = MemoryStorage.Backend(config: config, objects: underlying.make()) { [clock] in clock.now.date }
    }

    /// The keys in memory, in the order of their names.
    func residents(of keys: String...) -> [String] { keys.filter { storage.storage.object(forKey: $0) != nil } }
}
