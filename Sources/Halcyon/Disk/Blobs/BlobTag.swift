/// A mark that a blob carries in its modification date: the microseconds below the milliseconds of its expiration.
///
/// Length and inode number alone are not enough: when a blob is deleted behind the cache's back, the next new file often
/// gets its inode number, and a file written over in place keeps it. Volumes that keep whole seconds or milliseconds lose
/// the tag, and Kingfisher writes whole seconds: a file without microseconds is admitted.
struct BlobTag: Equatable {
    private static let count: Int64 = 999

    /// 1 to 999.
    let microseconds: Int

    init(token: Int64) { microseconds = Int(token % Self.count) + 1 }

    func admits(_ file: FileStatus) -> Bool {
        file.modifiedMicroseconds == 0 || file.modifiedMicroseconds == microseconds
    }

    /// A token whose tag the file carries already, made of a random one.
    static func token(_ random: Int64, for file: FileStatus) -> Int64 {
        guard file.modifiedMicroseconds > 0 else { return random }
        let base = min(random, Int64.max - count)
        return base - base % count + Int64(file.modifiedMicroseconds - 1)
    }
}
