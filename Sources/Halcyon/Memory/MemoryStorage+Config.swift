public import Foundation

extension MemoryStorage {
    /// The limits and expiration of a memory storage.
    ///
    /// Assigning ``MemoryStorage/Backend/config`` applies the limits at once. The expiration applies to later stores.
    public struct Config: Sendable {
        /// The maximum sum of ``CacheCostCalculable/cacheCost``: bytes, for images. 0 or less means no limit.
        ///
        /// A value that costs more than the whole limit is not kept and evicts no others.
        public var totalCostLimit: Int
        /// The maximum number of values. No limit by default, or with 0 or less.
        public var countLimit: Int = .max
        /// How long a value lives unless its store sets an expiration. Default: five minutes after the last read.
        public var expiration: StorageExpiration = .seconds(300)
        /// Seconds between two removals of expired values; two minutes by default. 0, negative and non-finite values turn them
        /// off.
        public var cleanInterval: TimeInterval
        /// Whether values stay when the app enters the background. By default they are dropped.
        ///
        /// Has an effect in apps with UIKit only. Elsewhere values always stay.
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
