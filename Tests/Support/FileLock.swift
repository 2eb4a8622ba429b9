#if os(Linux)
    package import Foundation

    /// A lock that a process has on a part of a file, as the kernel reports it. Opening and closing the file itself to find out would
    /// release all locks that this process has on it.
    package struct FileLock: Equatable, Sendable {
        package let isExclusive: Bool
        package let bytes: ClosedRange<Int64>

        /// The POSIX locks of a process on a file that it has open.
        ///
        /// This reads the process's open files, not the list of all locks in `/proc/locks`, which omits some locks if it changes while it
        /// is read.
        ///
        /// - Returns: nil if the system does not tell.
        package static func locks(of process: pid_t, on path: String) -> [FileLock]? {
            let folder = "/proc/\(process)"
            guard let file = identity(path),
                let names = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
            else { return nil }
            let descriptors = names.filter { identity("\(folder)/fd/\($0)") == file }
            let texts = descriptors.compactMap {
                try? String(contentsOfFile: "\(folder)/fdinfo/\($0)", encoding: .utf8)
            }
            return texts.flatMap { $0.split(separator: "\n").compactMap { FileLock(line: String($0)) } }
        }

        /// Device and inode.
        private static func identity(_ path: String) -> [UInt64]? {
            var status = stat()
            return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
        }

        /// - Parameter line: for example `lock:    1: POSIX  ADVISORY  READ 15908 fe:00:9576640 128 EOF`.
        package init?(line: String) {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count == 9, words[0] == "lock:", words[2] == "POSIX", let begin = Int64(words[7]) else {
                return nil
            }
            isExclusive = words[4] == "WRITE"
            bytes = begin...max(begin, Int64(words[8]) ?? .max)
        }
    }

    extension FileLock {
        /// A writer locks this byte of the shared memory (`WAL_WRITE_LOCK`).
        private static let writersByte: Int64 = 120

        /// Whether a process has the write lock of an index with a write-ahead log; nil if the system does not tell.
        package static func isWriting(_ process: pid_t, index path: String) -> Bool? {
            locks(of: process, on: path + "-shm").map { locks in
                locks.contains { $0.isExclusive && $0.bytes.contains(writersByte) }
            }
        }
    }
#endif
