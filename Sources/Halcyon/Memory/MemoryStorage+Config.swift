public import Foundation

extension MemoryStorage {
    /// What a memory storage keeps, and for how long.
    ///
    /// Assigning ``MemoryStorage/Backend/config`` applies the limits at once; the expiration counts for later stores.
    public struct Config: Sendable {
        /// The sum of ``CacheCostCalculable/cacheCost`` that is kept: bytes, for images. 0 or less, no limit.
        ///
        /// A value that is dearer than the whole limit is not kept, and evicts no others.
        public var totalCostLimit: Int
        /// How many values are kept. No limit by default, nor with 0 or less.
        public var countLimit: Int = .max
        /// How long a value lives when its store does not say. Five minutes from the last read.
        public var expiration: StorageExpiration = .seconds(300)
        /// Seconds between two cleans, which remove what has expired: two minutes. No cleans with 0 or less, or with
        /// what is not finite.
        public var cleanInterval: TimeInterval
        /// Whether values stay when the app enters the background. The system drops them by default.
        ///
        /// Counts for later stores, on Apple platforms. Elsewhere nothing is dropped, and this changes nothing.
        public var keepWhenEnteringBackground: Bool = false

        /// - Parameters:
        ///   - totalCostLimit: bytes, for images; 0 for no limit.
        ///   - cleanInterval: seconds; 0 for no cleans.
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }

        var limits: MemoryLimits { MemoryLimits(totalCost: totalCostLimit, count: countLimit) }
    }
}
