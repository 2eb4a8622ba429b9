import Foundation
import HalcyonTestSupport

@_spi(HalcyonTool) @testable import Halcyon

/// A value with a given cost.
struct Weight: CacheCostCalculable, Equatable, Sendable, ExpressibleByIntegerLiteral {
    let cacheCost: Int
    init(_ cost: Int) { cacheCost = cost }
    init(integerLiteral cost: Int) { self.init(cost) }
}

/// A value that calls a closure when it is released.
final class Token: CacheCostCalculable, Sendable {
    let cacheCost = 1
    private let onDeinit: @Sendable () -> Void
    init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
    deinit { onDeinit() }
}

/// A memory storage with its own clock and no timer.
struct MemoryFixture<T: CacheCostCalculable & Sendable> {
    let clock = ManualClock()
    let storage: MemoryStorage.Backend<T>

    init(
        of type: T.Type = T.self, totalCostLimit: Int = 0,
        configure: (inout MemoryStorage.Config) -> Void = { _ in }
    ) {
        var config = MemoryStorage.Config(totalCostLimit: totalCostLimit, cleanInterval: 0)
        configure(&config)
        storage = MemoryStorage.Backend(config: config) { [clock] in clock.now.date }
    }

    /// The keys in memory, in the order of their names.
    func residents(of keys: String...) -> [String] { keys.filter { storage.storage.object(forKey: $0) != nil } }
}
