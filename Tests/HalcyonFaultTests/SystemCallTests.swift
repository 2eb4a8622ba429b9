#if os(Linux)
    import Foundation
    import HalcyonTestLimits
    import HalcyonTestSupport
    import Testing

    /// Counts the system calls of frequent operations on the calling thread with `strace`.
    ///
    /// Skipped if it is not installed, or may not trace.
    @Suite(.endsEvenIfItHangs, .enabled(if: Strace.canTrace)) struct SystemCallTests {
        /// The file alone needs 4 calls for a value, 1 for a check and 5 for a store. Of the 16 calls of a store, SQLite needs 7:
        /// 6 for locks, and one that writes all pages to the log.
        @Test(arguments: [
            ("value_hit", 5.0), ("is_cached_hit", 2.0), ("value_first_look", 8.0), ("is_cached_first_look", 5.0),
            ("value_after_store", 11.5), ("is_cached_after_store", 8.5), ("is_cached_miss", 5.0), ("store_new", 16.5),
            ("overwrite", 18.0), ("memory_hit", 0.1),
        ]) func `frequent operations make few system calls`(path: String, limit: Double) throws {
            let calls = try SystemCalls.count(path, times: 250)
            #expect(calls.perOperation <= limit, "\(calls)")
            // Proves that the trace contains the operation.
            #expect(path.hasPrefix("memory") || calls.perOperation > 0.9, "\(calls)")
        }
    }

    private struct SystemCalls: CustomStringConvertible {
        let names: [String: Int]
        let times: Int

        var perOperation: Double { Double(names.values.reduce(0, +)) / Double(times) }

        var description: String {
            names.sorted { $0.key < $1.key }.map { "\($0.key) \(Double($0.value) / Double(times))" }
                .joined(separator: ", ")
        }

        static func count(_ path: String, times: Int) throws -> SystemCalls {
            let folder = try TemporaryFolder()
            let file = folder.url.appendingPathComponent("calls").path
            let program = try BuiltExecutable.named("HalcyonHotPaths").path
            try #require(try Strace.run(["-o", file], [program, path, "\(times)", "settled"]) == 0)
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            // The first field is the thread.
            let thread = try #require(lines.first?.split(separator: " ").first)
            var names: [String: Int] = [:]
            var isCounting = false
            for line in lines where line.split(separator: " ").first == thread {
                if line.contains("/halcyon-hot-path-") {
                    isCounting = line.contains("-begin")
                } else if isCounting, !line.contains(" resumed>"), let name = name(of: line) {
                    names[name, default: 0] += 1
                }
            }
            return SystemCalls(names: names, times: times)
        }

        /// `1234 openat(AT_FDCWD, …`
        private static func name(of line: Substring) -> String? {
            guard let parenthesis = line.firstIndex(of: "(") else { return nil }
            return line[..<parenthesis].split(separator: " ").last.map(String.init)
        }
    }
#endif
