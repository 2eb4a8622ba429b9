/// A mark in a blob's modification date: the microseconds below the milliseconds of its expiration.
///
/// Length and inode number are not enough: if another program deletes a blob, the next new file often gets its inode number, and a
/// file that is overwritten in place keeps it. Volumes that store whole seconds or milliseconds lose the tag, and Kingfisher writes
/// whole seconds. So a file without microseconds matches.
struct BlobTag: Equatable {
    private static let count: Int64 = 999

    /// 1 to 999.
    let microseconds: Int

    init(token: Int64) { microseconds = Int(token % Self.count) + 1 }

    func admits(_ file: FileStatus, isCopied: Bool = false) -> Bool {
        file.modifiedMicroseconds == 0 || marks(file, isCopied: isCopied)
    }

    /// Whether the file has this tag. One in 999 other files has it too.
    ///
    /// - Parameter isCopied: admits a microsecond less, because some tools copy dates as floating-point seconds and round them down.
    func marks(_ file: FileStatus, isCopied: Bool = false) -> Bool {
        file.modifiedMicroseconds == microseconds || (isCopied && file.modifiedMicroseconds == microseconds - 1)
    }

    /// Makes a token from a random one so that the file already carries its tag.
    static func token(_ random: Int64, for file: FileStatus) -> Int64 {
        guard file.modifiedMicroseconds > 0 else { return random }
        let base = min(random, Int64.max - count)
        return base - base % count + Int64(file.modifiedMicroseconds - 1)
    }
}
