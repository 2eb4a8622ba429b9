internal import Dispatch
internal import Foundation
package import Testing

// A target of its own: programs without tests use HalcyonTestSupport, too.

/// Ends a test that hangs, and the process with it. A time limit of Swift Testing cancels the task, which a thread that waits in a system
/// call or for a lock never notices: the run would hang until you end it.
package struct EndsEvenIfItHangs: TestTrait, SuiteTrait, TestScoping {
    /// Far longer than any test needs, because a test's clock also runs while those that began with it have the processors: under a
    /// sanitizer, on two of them, that is minutes. A false alarm would cost the whole run.
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
