#if canImport(Darwin)
    internal import Foundation

    extension MemoryStorage {
        /// A value that stays when the app enters the background, when `NSCache` drops all objects except those with discardable
        /// content. The system discards it if memory runs short and it is not in use.
        ///
        /// Thread-safe: value and count are accessed only under the lock.
        class BackgroundKeepingStorageObject<T>: StorageObject<T>, NSDiscardableContent {
            private let lock = NSLock()
            private var accessCount = 0

            override var value: T? {
                get { locked { super.value } }
                set { locked { super.value = newValue } }
            }

            override var hasContent: Bool { !isContentDiscarded() }

            func beginContentAccess() -> Bool {
                locked {
                    guard super.value != nil else { return false }
                    accessCount += 1
                    return true
                }
            }

            func endContentAccess() { locked { accessCount = max(0, accessCount - 1) } }

            func discardContentIfPossible() {
                // Released after the lock, because its deinit may call back.
                let discarded = locked { accessCount == 0 ? super.value : nil }
                guard discarded != nil else { return }
                locked { if accessCount == 0 { super.value = nil } }
                withExtendedLifetime(discarded) {}
            }

            func isContentDiscarded() -> Bool { locked { super.value == nil } }

            private func locked<Result>(_ body: () -> Result) -> Result {
                lock.lock()
                defer { lock.unlock() }
                return body()
            }
        }
    }
#endif
