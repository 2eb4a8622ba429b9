import Foundation
import HalcyonTestLimits
import HalcyonTestSupport
import Testing

@testable import Halcyon

@Suite(.endsEvenIfItHangs) struct SingleFlightTests {
    private struct Failure: Error {}

    /// Holds work until the test opens it.
    private final class Gate: Sendable {
        private let isOpen = Locked(false)
        let begun = Locked(0)
        let cancelled = Locked(0)

        func open() { isOpen.withLock { $0 = true } }

        func pass() async throws {
            begun.withLock { $0 += 1 }
            while !isOpen.withLock({ $0 }) {
                do { try Task.checkCancellation() } catch {
                    cancelled.withLock { $0 += 1 }
                    throw error
                }
                await Task.yield()
            }
        }
    }

    @Test func `concurrent callers share one result`() async throws {
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

    @Test func `a task that the work has started does not keep its value`() async throws {
        final class Picture: Sendable {}
        let (flights, gate, started) = (SingleFlight<String, Picture>(), Gate(), Locked<Task<Void, any Error>?>(nil))
        weak var picture: Picture?
        picture = try await flights.value(for: "k") {
            started.withLock {
                $0 = Task {
                    _ = try await flights.value(for: "another") {
                        try await gate.pass()
                        return Picture()
                    }
                }
            }
            try await eventually { gate.begun.withLock { $0 } == 1 }
            return Picture()
        }
        while picture != nil { await Task.yield() }
        gate.open()
        try await started.withLock { $0 }?.value
    }

    @Test func `the next call after an error runs the work again`() async throws {
        let flights = SingleFlight<String, Int>()
        await #expect(throws: Failure.self) { try await flights.value(for: "k") { throw Failure() } }
        let value = try await flights.value(for: "k") { 1 }
        #expect(value == 1)
    }

    @Test func `all callers get the error, which is not kept`() async throws {
        let (flights, gate) = (SingleFlight<String, Int>(), Gate())
        let callers = (0..<5).map { _ in
            Task {
                try await flights.value(for: "k") {
                    try await gate.pass()
                    throw Failure()
                }
            }
        }
        try await eventually { flights.callerCount(of: "k") == 5 }
        gate.open()
        for caller in callers { await #expect(throws: Failure.self) { try await caller.value } }
        #expect(gate.begun.withLock { $0 } == 1 && flights.count == 0)
        let value = try await flights.value(for: "k") { 1 }
        #expect(value == 1)
    }

    @Test func `work has the priority of the most urgent of its callers`() async throws {
        let flights = SingleFlight<String, TaskPriority>()
        let (current, mayEnd) = (Locked(TaskPriority?.none), Locked(false))
        @Sendable func load() async throws -> TaskPriority {
            try await flights.value(for: "k") {
                while !mayEnd.withLock({ $0 }) {
                    current.withLock { $0 = Task.currentPriority }
                    try await Task.sleep(nanoseconds: 1_000_000)
                }
                return Task.currentPriority
            }
        }
        let lead = Task(priority: .low) { try await load() }
        try await eventually { current.withLock { $0 } != nil }
        #expect(current.withLock { $0 } == .low)
        let urgent = Task.detached(priority: .high) { try await load() }
        let another = Task.detached(priority: .medium) { try await load() }
        try await eventually { flights.callerCount(of: "k") == 3 }
        try await eventually { flights.priority(of: "k") == .high }
        // Another task raises it.
        try await eventually { current.withLock { $0 } == .high }
        mayEnd.withLock { $0 = true }
        // Awaiting it here would raise the priority of the lead.
        try await eventually { flights.count == 0 }
        let priorities = try await [lead.value, urgent.value, another.value]
        #expect(priorities == [.high, .high, .high])
    }

    // MARK: Forgetting

    @Test func `later callers do not join a forgotten flight, and earlier ones get its result`() async throws {
        let (flights, gate) = (SingleFlight<String, Int>(), Gate())
        let flight = Locked<SingleFlight<String, Int>.Flight?>(nil)
        let first = Task {
            try await flights.value(for: "k") {
                flight.withLock { $0 = flights.currentFlight }
                try await gate.pass()
                return 1
            }
        }
        try await eventually { gate.begun.withLock { $0 } == 1 }
        let old = try #require(flight.withLock { $0 })
        #expect(flights.isCurrent(old))
        flights.forget(old)
        #expect(!flights.isCurrent(old))
        let second = try await flights.value(for: "k") { 2 }
        gate.open()
        let value = try await first.value
        #expect(value == 1 && second == 2)
    }

    @Test(arguments: ["ends", "is cancelled", "is forgotten again"])
    func `a forgotten flight leaves the later one alone`(event: String) async throws {
        let (flights, gates) = (SingleFlight<String, Int>(), [Gate(), Gate()])
        let begun = Locked<[SingleFlight<String, Int>.Flight]>([])
        func fly(_ number: Int) async throws -> Task<Int, any Error> {
            let task = Task {
                try await flights.value(for: "k") {
                    begun.withLock { $0 += [flights.currentFlight].compactMap(\.self) }
                    try await gates[number].pass()
                    return number
                }
            }
            try await eventually { begun.withLock { $0.count } == number + 1 }
            return task
        }
        let first = try await fly(0)
        flights.forget("k")
        let second = try await fly(1)
        let all = begun.withLock { $0 }
        switch event {
        case "ends":
            gates[0].open()
            #expect(try await first.value == 0)
        case "is cancelled":
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
        default: flights.forget(all[0])
        }
        #expect(flights.isCurrent(all[1]))
        gates.forEach { $0.open() }
        #expect(try await second.value == 1)
        _ = await first.result
    }

    @Test func `background work can be joined, and no caller cancels it`() async throws {
        let (flights, gate) = (SingleFlight<String, Int>(), Gate())
        let work: @Sendable () async throws -> Int = {
            try await gate.pass()
            return 1
        }
        flights.start("k", priority: .utility, work)
        flights.start("k", priority: .utility, work)
        try await eventually { gate.begun.withLock { $0 } == 1 }
        let caller = Task { try await flights.value(for: "k") { 2 } }
        try await eventually { flights.callerCount(of: "k") == 2 }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        let follower = Task { try await flights.value(for: "k") { 2 } }
        try await eventually { flights.callerCount(of: "k") == 2 }
        gate.open()
        let value = try await follower.value
        #expect(value == 1 && gate.cancelled.withLock { $0 } == 0)
    }

    // MARK: Cancelling

    @Test func `a cancelled caller does not affect the others`() async throws {
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
        try await eventually { flights.callerCount(of: "k") == 2 }
        leader.cancel()
        await #expect(throws: CancellationError.self) { try await leader.value }
        gate.open()
        let value = try await follower.value
        #expect(value == 7 && gate.begun.withLock { $0 } == 1)
    }

    @Test func `when the last caller leaves the work is cancelled, and no caller joins it`() async throws {
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

    @Test func `a result that arrives while a cancelled caller leaves does not reach it`() async throws {
        let (waiting, begun) = (Locked<Waiter<Int>?>(nil), Locked(false))
        let caller = Task {
            try await Waiter<Int>.wait { waiter in
                waiting.withLock { $0 = waiter }
                begun.withLock { $0 = true }
            } onCancel: {
                $0.cancel { waiting.withLock(\.self)?.resume { 7 } }
            }
        }
        try await eventually { begun.withLock { $0 } }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
    }

    @Test func `a cancelled caller starts no work`() async {
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

    @Test func `work that requests its own key gets an error`() async {
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

    @Test func `work may request its key elsewhere, and a cycle is noticed across other flights`() async throws {
        let (flights, others) = (SingleFlight<String, Int>(), SingleFlight<String, Int>())
        let names = SingleFlight<Int, Int>()
        let value = try await flights.value(for: "k") {
            try await others.value(for: "k") {
                #expect(flights.currentFlight != nil && others.currentFlight != nil && names.currentFlight == nil)
                #expect(flights.currentFlight !== others.currentFlight)
                return try await names.value(for: 1) { 7 }
            }
        }
        #expect(value == 7)
        await #expect(throws: CacheStorageError.self) {
            try await flights.value(for: "k") {
                try await names.value(for: 1) {
                    try await others.value(for: "k") { try await flights.value(for: "k") { 1 } }
                }
            }
        }
    }

    @Test func `two flights that would wait for each other get an error`() async throws {
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

    @Test func `a task that outlives the work that started it is not part of a cycle`() async throws {
        let flights = SingleFlight<String, Int>()
        let (gateOfA, gateOfB, gateOfTask) = (Gate(), Gate(), Gate())
        let task = Locked<Task<Int, any Error>?>(nil)
        async let first = flights.value(for: "A") {
            let late = Task {
                try await gateOfTask.pass()
                return try await flights.value(for: "B") { 0 }
            }
            task.withLock { $0 = late }
            try await gateOfA.pass()
            return 1
        }
        try await eventually { gateOfA.begun.withLock { $0 } == 1 }
        async let second = flights.value(for: "B") {
            let found = try await flights.value(for: "A") { 0 }
            try await gateOfB.pass()
            return found + 1
        }
        try await eventually { flights.callerCount(of: "A") == 2 }
        gateOfA.open()
        try await eventually { gateOfB.begun.withLock { $0 } == 1 }
        gateOfTask.open()
        try await eventually { flights.callerCount(of: "B") == 2 }
        gateOfB.open()
        let late = try #require(task.withLock { $0 })
        let values = try await [first, second, late.value]
        #expect(values == [1, 2, 2])
    }

    @Test func `keys that wait for others without a cycle get values`() async throws {
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
