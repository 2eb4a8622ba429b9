import Foundation

/// The thread that makes it.
package struct CallingThread: @unchecked Sendable {
    // Sendable because the identifier, on Apple's systems a pointer, is only compared.
    private let id = pthread_self()

    package init() {}

    package var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }
}
