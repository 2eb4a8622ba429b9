#if canImport(Darwin)
    internal import Foundation

    extension MemoryStorage {
        /// A value that stays when the app enters the background: `NSCache` drops all objects then but those whose
        /// content can be discarded. The system takes it away when memory runs short and nobody is using it.
        ///
        /// Safe from any thread: value and count are touched under the lock only.
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
                // Released after the lock: its deinit may come back.
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
