#if !canImport(UIKit) && !canImport(AppKit)
    internal import Foundation

    /// Limits how many pictures are decoded at the same time.
    ///
    /// A decode waits only for memory and its own bytes, so every waiting thread gets its turn.
    final class DecodingSlots: @unchecked Sendable {
        // Sendable because all variables are guarded by `condition`.
        private let condition = NSCondition()
        private var taken = 0
        private var most = ProcessInfo.processInfo.activeProcessorCount

        static let shared = DecodingSlots()

        var limit: Int {
            get { condition.withLock { most } }
            set {
                condition.withLock {
                    most = max(1, newValue)
                    condition.broadcast()
                }
            }
        }

        func withSlot<Result>(_ body: () throws -> Result) rethrows -> Result {
            condition.withLock {
                while taken >= most { condition.wait() }
                taken += 1
            }
            defer {
                condition.withLock {
                    taken -= 1
                    condition.signal()
                }
            }
            return try body()
        }
    }
#endif
