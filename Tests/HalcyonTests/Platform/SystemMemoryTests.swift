#if os(Linux)
    import Foundation
    import HalcyonTestSupport
    import Testing

    @testable import Halcyon

    @Suite struct SystemMemoryTests {
        /// The limit that follows from the files of control groups and what `/proc/self/cgroup` says.
        private func limit(_ groups: String, _ files: [String: String]) throws -> Int {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cgroup-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            for (path, text) in files {
                let file = folder.appendingPathComponent(path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data("\(text)\n".utf8).write(to: file)
            }
            return SystemMemory.groupLimit(of: groups, in: folder.path)
        }

        @Test func `the limit is the smallest one of the control group and its parents`() throws {
            let nested = "0::/system.slice/app.service\n"
            let path = "system.slice/app.service/memory.max"
            #expect(try limit(nested, [path: "4000", "system.slice/memory.max": "max"]) == 4_000)
            #expect(try limit(nested, [path: "4000", "system.slice/memory.max": "3000"]) == 3_000)
            let first = "9:name=systemd:/\n4:cpu,memory:/app:a\n"
            let limits = ["memory/app:a/memory.limit_in_bytes": "2000", "memory/memory.limit_in_bytes": "\(Int.max)"]
            #expect(try limit(first, limits) == 2_000)
        }

        @Test func `in a container, the root of the file system is the control group`() throws {
            #expect(try limit("0::/\n", ["memory.max": "5000"]) == 5_000)
            #expect(try limit("4:memory:/docker/0a\n", ["memory/memory.limit_in_bytes": "6000"]) == 6_000)
            #expect(try limit("", ["memory.max": "5000"]) == 5_000)
        }

        @Test func `a missing or invalid file means no limit`() throws {
            #expect(try limit("0::/a\n", ["a/memory.max": "max", "memory.max": "0"]) == .max)
            #expect(try limit("nonsense\n::\n0::\n", [:]) == .max)
            #expect((1...Int(clamping: ProcessInfo.processInfo.physicalMemory)).contains(SystemMemory.byteCount))
        }
    }
#endif
