import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct SingleFlightTests {
    private struct Failure: Error {}

    /// Holds work until it is let go.
    private final class Gate: Sendable {
        private let isOpen = Locked(false)
        let begun = Locked(0)
        let cancelled = Locked(0)

        func open() { isOpen.withLock { $0 = true } }

        func pass() async throws {
            begun.withLock { $0 += 1 }
            while !isOpen.withLock({ $0 }) {
                if Task.isCancelled { cancelled.withLock { $0 += 1 } }
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test func `callers at the same time share one result`() async throws {
        let (flights, gate) = (SingleFlight<String, Int>(), Gate())
        let results = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    try await flights.value(for: "k") {
                        try await gate.pass()
                        return 7
                    }
                }
            }
            try await eventually { gate.begun.withLock { $0 } == 1 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: 7, count: 64))
        #expect(flights.count == 0)
        let again = try await flights.value(for: "k") { 8 }
        #expect(again == 8, "nothing is kept")
    }

    @Test func `an error is everybody's, and is not kept`() async throws {
        let flights = SingleFlight<String, Int>()
        await #expect(throws: Failure.self) { try await flights.value(for: "k") { throw Failure() } }
        let value = try await flights.value(for: "k") { 1 }
        #expect(value == 1)
    }

    @Test func `one that is cancelled leaves the others waiting`() async throws {
        let (flights, gate) = (SingleFlight<String, Int>(), Gate())
        @Sendable func load() async throws -> Int {
            try await flights.value(for: "k") {
                try await gate.pass()
                return 7
            }
        }
        let leader = Task { try await load() }
        try await eventually { gate.begun.withLock { $0 } == 1 }
        let follower = Task { try await load() }
        // It may have joined by now, or do so later: both are right.
        leader.cancel()
        await #expect(throws: CancellationError.self) { try await leader.value }
        gate.open()
        let value = try await follower.value
        #expect(value == 7)
    }

    @Test func `the last one that leaves cancels the work, and nobody joins that`() async throws {
        let (flights, gate) = (SingleFlight<String, Int>(), Gate())
        let caller = Task {
            try await flights.value(for: "k") {
                try await gate.pass()
                return 1
            }
        }
        try await eventually { gate.begun.withLock { $0 } == 1 }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        let value = try await flights.value(for: "k") { 2 }
        #expect(value == 2)
        try await eventually { gate.cancelled.withLock { $0 } == 1 }
    }

    @Test func `a caller that has been cancelled begins nothing`() async {
        let (flights, begun) = (SingleFlight<String, Int>(), Locked(false))
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await flights.value(for: "k") {
                begun.withLock { $0 = true }
                return 1
            }
        }
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(!begun.withLock { $0 } && flights.count == 0)
    }

    @Test func `work that asks for its own key gets an error`() async {
        let flights = SingleFlight<String, Int>()
        await #expect(throws: CacheStorageError.self) {
            try await flights.value(for: "k") { try await flights.value(for: "k") { 1 } }
        }
        await #expect(throws: CacheStorageError.self) {
            try await flights.value(for: "a") {
                try await flights.value(for: "b") { try await flights.value(for: "a") { 1 } }
            }
        }
    }

    @Test func `two that would wait for one another get an error`() async throws {
        let (flights, first, second) = (SingleFlight<String, Int>(), Gate(), Gate())
        let a = Task {
            try await flights.value(for: "a") {
                try await first.pass()
                return try await flights.value(for: "b") { 1 }
            }
        }
        let b = Task {
            try await flights.value(for: "b") {
                try await second.pass()
                return try await flights.value(for: "a") { 1 }
            }
        }
        try await eventually { first.begun.withLock { $0 } == 1 && second.begun.withLock { $0 } == 1 }
        first.open()
        second.open()
        await #expect(throws: CacheStorageError.self) { try await a.value }
        await #expect(throws: CacheStorageError.self) { try await b.value }
        #expect(flights.count == 0)
    }

    @Test func `keys that wait for others that do not wait for them are no cycle`() async throws {
        let flights = SingleFlight<Int, Int>()
        @Sendable func sum(_ number: Int) async throws -> Int {
            guard number > 0 else { return 0 }
            return try await flights.value(for: number) { try await sum(number - 1) + number }
        }
        async let (a, b) = (sum(20), sum(10))
        let sums = try await (a, b)
        #expect(sums.0 == 210 && sums.1 == 55)
    }
}
