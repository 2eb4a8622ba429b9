import Foundation
import HalcyonTestSupport

@testable import Halcyon

/// Answers like an origin server, once the test allows it.
final class Origin: Sendable {
    private let isOpen: Locked<Bool>
    let fetches = Locked(0)
    let renewals = Locked(0)
    private let answers = Locked(0)

    var isAnswered: Bool { answers.withLock { $0 } == fetches.withLock { $0 } }

    init(isOpen: Bool = true) { self.isOpen = Locked(isOpen) }

    func open() { isOpen.withLock { $0 = true } }

    func fetch(_ number: Int = 1) async throws -> DiskStorage.NewValue<Data> {
        fetches.withLock { $0 += 1 }
        while !isOpen.withLock({ $0 }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        answers.withLock { $0 += 1 }
        return .init(.blob(number), attributes: .init(tags: ["fetched"]))
    }
}
