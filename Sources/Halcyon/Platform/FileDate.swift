/// The date of a blob's file, in the seconds of a `timespec`: the expiration of the entry.
enum FileDate {
    /// The date of a blob that never expires, in milliseconds since 1970: the year 2420, the latest round year that ext4 can
    /// store with the tag. A volume whose dates end in 2038 stores that instead, an ordinary date.
    static let never: Int64 = 14_200_617_600_000

    /// Dates from the year 2400 on mean "never". Kingfisher uses 4001, which ext4 stores as 2446.
    static let neverFrom: Int64 = 13_569_465_600_000

    /// With 32 bits, the last second, in 2038, means "never", and later dates become the second before it.
    static func seconds<Seconds: FixedWidthInteger>(ofMilliseconds time: Int64, as type: Seconds.Type = Seconds.self)
        -> Seconds
    {
        guard let seconds = Seconds(exactly: time / 1000), seconds < .max else {
            return time >= neverFrom ? .max : time > 0 ? .max - 1 : .min
        }
        return seconds
    }

    /// The reverse of ``seconds(ofMilliseconds:as:)``. Anyone may set any date that the volume stores, so it is clamped.
    static func milliseconds<Seconds: FixedWidthInteger>(ofSeconds seconds: Seconds, nanoseconds: Int) -> Int64 {
        if Seconds.bitWidth <= 32, seconds == .max { return never }
        let limit = Int64.max / 1000 - 1
        return min(max(Int64(seconds), -limit), limit) * 1000 + Int64(nanoseconds) / 1_000_000
    }
}
