package import Foundation
@_spi(HalcyonTool) package import Halcyon

/// The real file system with faults: calls of one kind fail from the n-th on, once or always, or do half of their work. Tests can also
/// replace the reported volume and times, and observe the calls.
package final class FaultyFileSystem: FileSystem {
    package enum Call: String, CaseIterable, Sendable {
        case makeDirectory, openForReading, createFile, read, write, statusOfFile, status, setModified, rename,
            exchange,
            link, unlink, removeDirectory, list, volume, freeBytes, makePrivate, protect, closeWritten
    }

    package struct Fault: Sendable {
        package var call: Call
        /// `errno`.
        package var code: Int32
        /// Calls that still succeed.
        package var after: Int
        /// How many calls fail; nil for all that follow.
        package var times: Int?
        /// Only paths that contain this text.
        package var path: String?
    }

    /// A plan that counts the calls of all kinds together.
    private struct Plan {
        var codes: [Call: Int32]
        var after: Int
        var times: Int?
        var failures = 0

        mutating func verdict(on call: Call) -> Int32? {
            guard let code = codes[call] else { return nil }
            guard after == 0 else {
                after -= 1
                return nil
            }
            guard times != 0 else { return nil }
            times = times.map { $0 - 1 }
            failures += 1
            return code
        }
    }

    private struct State {
        var calls: [Call: Int] = [:]
        var faults: [Fault] = []
        var plan: Plan?
        var shortWrites = false
        var volume: Volume?
        var freeBytes: Int64?
        var age: Int64 = 0
        var lead: Int64 = 0
        var change: (@Sendable (inout FileStatus) -> Void)?
        var observer: (@Sendable (Call, String) -> Void)?
    }

    private let base = POSIXFileSystem()
    private let state = Locked(State())

    package init() {}

    // MARK: The model

    package func fail(_ call: Call, _ code: Int32, after: Int = 0, times: Int? = 1, path: String? = nil) {
        state.withLock { $0.faults.append(Fault(call: call, code: code, after: after, times: times, path: path)) }
    }

    /// After a number of calls of the kinds that have an `errno`, fails `times` of them; nil for all from then on.
    package func fail(_ codes: [Call: Int32], after: Int, times: Int?) {
        state.withLock { $0.plan = Plan(codes: codes, after: after, times: times) }
    }

    /// Calls of a kind so far, failed ones included.
    package func calls(of call: Call) -> Int { state.withLock { $0.calls[call] ?? 0 } }

    /// Calls that have failed by the last plan for all kinds.
    package var failures: Int { state.withLock { $0.plan?.failures ?? 0 } }

    package func heal() {
        state.withLock { $0.faults = [] }
        endPlan()
    }

    /// Ends the plan for all kinds; missing abilities of the volume stay missing.
    package func endPlan() { state.withLock { $0.plan?.codes = [:] } }

    /// Each `write` writes half of its bytes.
    package func writeShort(_ isShort: Bool) { state.withLock { $0.shortWrites = isShort } }

    package func pretend(_ volume: Volume) { state.withLock { $0.volume = volume } }
    package func pretend(freeBytes: Int64?) { state.withLock { $0.freeBytes = freeBytes } }

    /// Makes every file look that many seconds older.
    package func age(by seconds: Double) { state.withLock { $0.age = Int64(seconds * 1000) } }

    /// Changes what is reported about files.
    package func pretend(_ change: (@Sendable (inout FileStatus) -> Void)?) { state.withLock { $0.change = change } }

    /// The clock that files are dated with looks so many seconds later than it is: then folders have not changed just now.
    package func lead(by seconds: Double) { state.withLock { $0.lead = Int64(seconds * 1000) } }

    /// Calls `observer` before each call, without any lock.
    package func observe(_ observer: (@Sendable (Call, String) -> Void)?) { state.withLock { $0.observer = observer } }

    private func check(_ call: Call, _ path: String) throws(SystemError) {
        state.withLock { $0.observer }?(call, path)
        let code = state.withLock { state -> Int32? in
            state.calls[call, default: 0] += 1
            for index in state.faults.indices where state.faults[index].applies(to: call, path) {
                if state.faults[index].after > 0 {
                    state.faults[index].after -= 1
                } else if let code = state.faults[index].fire() {
                    return code
                }
            }
            return state.plan?.verdict(on: call)
        }
        if let code { throw SystemError(call.rawValue, code) }
    }

    private func seen(_ status: FileStatus) -> FileStatus {
        state.withLock { state in
            var status = status
            status.changed = Timestamp(milliseconds: status.changed.milliseconds - state.age)
            state.change?(&status)
            return status
        }
    }

    // MARK: FileSystem

    package func makeDirectory(_ path: String, isPrivate: Bool) throws(SystemError) {
        try check(.makeDirectory, path)
        try base.makeDirectory(path, isPrivate: isPrivate)
    }

    package func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
        try check(.openForReading, path)
        return try base.openForReading(path)
    }

    package func createFile(_ path: String) throws(SystemError) -> FileDescriptor {
        try check(.createFile, path)
        return try base.createFile(path)
    }

    package func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try check(.read, "")
        return try base.read(file, into: buffer)
    }

    package func write(_ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        try check(.write, "")
        let isShort = state.withLock { $0.shortWrites } && bytes.count > 1
        return try base.write(file, isShort ? UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)) : bytes)
    }

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        try check(.statusOfFile, "")
        return seen(try base.status(of: file))
    }

    package func status(at path: String) throws(SystemError) -> FileStatus {
        try check(.status, path)
        return seen(try base.status(at: path))
    }

    package func setModified(
        _ time: Timestamp, microseconds: Int, of file: FileDescriptor
    ) throws(SystemError) {
        try check(.setModified, "")
        try base.setModified(time, microseconds: microseconds, of: file)
    }

    package var now: Timestamp { base.now.advanced(by: state.withLock { $0.lead }) }

    package func makePrivate(_ path: String) throws(SystemError) {
        try check(.makePrivate, path)
        try base.makePrivate(path)
    }

    package func protect(_ path: String, as protection: FileProtectionType) throws(SystemError) {
        try check(.protect, path)
        try base.protect(path, as: protection)
    }

    package func close(_ file: FileDescriptor) { base.close(file) }

    /// The descriptor is closed even if this fails.
    package func closeWritten(_ file: FileDescriptor) throws(SystemError) {
        base.close(file)
        try check(.closeWritten, "")
    }

    package func rename(_ source: String, to target: String) throws(SystemError) {
        try check(.rename, target)
        try base.rename(source, to: target)
    }

    package func exchange(_ first: String, _ second: String) throws(SystemError) {
        try check(.exchange, second)
        try base.exchange(first, second)
    }

    package func link(_ existing: String, to new: String) throws(SystemError) {
        try check(.link, new)
        try base.link(existing, to: new)
    }

    package func unlink(_ path: String) throws(SystemError) {
        try check(.unlink, path)
        try base.unlink(path)
    }

    package func removeDirectory(_ path: String) throws(SystemError) {
        try check(.removeDirectory, path)
        try base.removeDirectory(path)
    }

    package func list(_ path: String, _ body: (String) throws -> Bool) throws {
        try check(.list, path)
        try base.list(path, body)
    }

    package func volume(at path: String) throws(SystemError) -> Volume {
        try check(.volume, path)
        if let volume = state.withLock({ $0.volume }) { return volume }
        return try base.volume(at: path)
    }

    package func freeBytes(at path: String) throws(SystemError) -> Int64 {
        try check(.freeBytes, path)
        if let bytes = state.withLock({ $0.freeBytes }) { return bytes }
        return try base.freeBytes(at: path)
    }
}

extension FaultyFileSystem.Fault {
    fileprivate func applies(to call: FaultyFileSystem.Call, _ path: String) -> Bool {
        self.call == call && (self.path.map(path.contains) ?? true)
    }

    /// The code to fail with, as long as the fault lasts.
    fileprivate mutating func fire() -> Int32? {
        guard let left = times else { return code }
        guard left > 0 else { return nil }
        times = left - 1
        return code
    }
}
