#if os(Linux)
    import Foundation
    import HalcyonTestLimits
    import HalcyonTestSupport
    import Testing

    @_spi(HalcyonTool) @testable import Halcyon

    /// The system refuses reads of the index to SQLite's own file system, in a separate process. `RefusedReadTests` tests the same faults
    /// with the tests' file system.
    @Suite(.endsEvenIfItHangs, .enabled(if: Strace.canTrace)) struct UnreadableDiskTests {
        private static func config(in directory: URL) -> DiskStorage.Config { Errand.config(in: directory) }

        private func makeCache(in directory: URL) throws -> String {
            let storage = try DiskStorage.Backend<Data>(config: Self.config(in: directory))
            for (number, key) in Errand.keys.enumerated() {
                try storage.store(
                    value: Data(key.utf8), forKey: key, attributes: .init(isPinned: number % 5 == 0, tags: ["t"]))
            }
            storage.close()
            return storage.directoryURL.appendingPathComponent(".halcyon/index.sqlite").path
        }

        /// SQLite then opens the file for reading only. The calls of each thread are counted by themselves.
        @Test(arguments: ["", "-wal", "-shm"], ["EMFILE", "EIO"])
        func `a file that could not be opened for writing once is opened again`(_ file: String, error: String) throws {
            let server = try BuiltExecutable.named("HalcyonCrashServer").path
            for number in 1...3 {
                let folder = try TemporaryFolder()
                let index = try makeCache(in: folder.url)
                // Keeps the log and its shared memory.
                let storage = try DiskStorage.Backend<Data>(config: Self.config(in: folder.url))
                defer { storage.close() }
                try storage.store(value: Data(), forKey: "other")
                let log = folder.url.appendingPathComponent("calls").path
                let options = [
                    "-o", log, "-P", index + file, "-e", "trace=openat", "-e",
                    "inject=openat:error=\(error):when=\(number)",
                ]
                let status = try Strace.run(
                    options, [server], input: Errand.storeAndCheckpoint.line(in: folder.url) + "\n")
                #expect(status == 0)
                let hasDone = FileManager.default.fileExists(atPath: Errand.signal(in: folder.url).path)
                #expect(hasDone, "\(number)")
                #expect(try number > 1 || String(contentsOfFile: log, encoding: .utf8).contains("(INJECTED)"))
            }
        }

        /// Once, twice in a row, or from then on.
        @Test(arguments: ["", "..+1", "+"]) func `refused reads set no index aside and lose no pin`(_ times: String)
            throws
        {
            let folder = try TemporaryFolder()
            let index = try makeCache(in: folder.url)
            let server = try BuiltExecutable.named("HalcyonCrashServer").path
            let log = folder.url.appendingPathComponent("calls").path
            for number in Soak.spread(80, short: 14).map({ $0 + 1 }) {
                let which = times == "..+1" ? "\(number)..\(number + 1)" : "\(number)\(times)"
                let options = [
                    "-o", log, "-P", index, "-P", index + "-wal", "-e", "trace=pread64", "-e",
                    "inject=pread64:error=EIO:when=\(which)",
                ]
                let status = try Strace.run(
                    options, [server], input: Errand.useRegardless.line(in: folder.url) + "\n")
                #expect(status == 0)
                let calls = try String(contentsOfFile: log, encoding: .utf8)
                // Later reads may not happen.
                #expect(number > 10 || calls.contains("(INJECTED)"), "\(which)")
                #expect(!FileManager.default.fileExists(atPath: index + ".damaged"), "\(which)")
            }
            let storage = try DiskStorage.Backend<Data>(config: Self.config(in: folder.url))
            defer { storage.close() }
            for (number, key) in Errand.keys.enumerated() {
                let entry = try storage.entry(forKey: key)
                #expect(entry?.isPinned == (number % 5 == 0) && entry?.tags == ["t"], "\(key)")
                #expect(try storage.value(forKey: key) == Data(key.utf8))
            }
            storage.store.housekeepingWait()
            #expect(try storage.check().isSound)
        }
    }
#endif
