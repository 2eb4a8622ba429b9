/// The date of a blob's file, in the seconds of a `timespec`: the expiration of the entry.
enum FileDate {
    /// The date of a blob that never expires, in milliseconds since 1970: the year 2262, the last that fits into the 64-bit
    /// nanoseconds of APFS, which reads later dates as earlier ones, with another tag. A volume whose dates end in 2038 stores that
    /// instead, an ordinary date.
    static let never: Int64 = 9_214_646_400_000

    /// Dates from the year 2200 on mean "never". Kingfisher uses 4001, which ext4 stores as 2446, and APFS as 2247.
    static let neverFrom: Int64 = 7_258_118_400_000

    /// Later dates become ``never``. With 32 bits, the last second, in 2038, means "never", and later dates become the second before it.
    static func seconds<Seconds: FixedWidthInteger>(ofMilliseconds time: Int64, as type: Seconds.Type = Seconds.self)
        -> Seconds
    {
        guard let seconds = Seconds(exactly: min(time, never) / 1000), seconds < .max else {
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
