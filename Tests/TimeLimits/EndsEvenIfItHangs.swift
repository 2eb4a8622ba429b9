internal import Dispatch
internal import Foundation
package import Testing

// A separate target, because programs without tests also use HalcyonTestSupport.

/// Ends a hanging test together with its process. A time limit of Swift Testing only cancels the task, and a thread that waits in a system
/// call or for a lock never notices: the run would hang until you end it.
package struct EndsEvenIfItHangs: TestTrait, SuiteTrait, TestScoping {
    /// Far longer than any test needs: a test's clock also runs while other tests occupy the processors, which takes minutes under a
    /// sanitizer on two processors. A false alarm would cost the whole run.
    private static let minutes = 20

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let alarm = DispatchWorkItem {
            FileHandle.standardError.write(Data("error: \(test.id) hangs after \(Self.minutes) minutes.\n".utf8))
            abort()
        }
        DispatchQueue.global(qos: .userInteractive)
            .asyncAfter(deadline: .now() + .seconds(60 * Self.minutes), execute: alarm)
        defer { alarm.cancel() }
        try await function()
    }
}

extension Trait where Self == EndsEvenIfItHangs {
    package static var endsEvenIfItHangs: Self { EndsEvenIfItHangs() }
}
