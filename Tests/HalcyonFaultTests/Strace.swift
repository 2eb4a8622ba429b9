#if os(Linux)
    import Foundation
    import HalcyonTestSupport

    /// Runs programs under `strace`, which reports their system calls and refuses some of them.
    enum Strace {
        /// False if it is not installed, or may not trace.
        static let canTrace = (try? run(["-o", "/dev/null"], ["/bin/true"])) == 0

        /// - Parameter input: the program's standard input.
        /// - Returns: the program's status, as from `waitpid`.
        static func run(_ options: [String], _ words: [String], input: String? = nil) throws -> Int32 {
            let program = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
            guard let program else { throw CocoaError(.fileNoSuchFile) }
            let null = try FileHandle(forUpdating: URL(fileURLWithPath: "/dev/null"))
            let given = Pipe()
            if let input { try given.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
            try given.fileHandleForWriting.close()
            let process = try Spawning.start(
                // With the address sanitizer, the detector of leaks does not run in a traced program, and makes it fail.
                program, ["strace", "-f", "-qq", "-E", "ASAN_OPTIONS=detect_leaks=0"] + options + words,
                streams: [0: given.fileHandleForReading.fileDescriptor, 1: null.fileDescriptor, 2: null.fileDescriptor])
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }
#endif
