/// Whole seconds of HTTP. Imports nothing, so that Scripts/typecheck-apple can run it with an `Int` of 32 bits.
enum DeltaSeconds {
    /// The value of larger numbers: the largest that 32 bits hold (RFC 9111, section 1.2.2).
    static let limit = Int(Int32.max)

    /// Accepts digits only.
    static func parse(_ text: String) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard !text.isEmpty, text.utf8.allSatisfy(digits.contains) else { return nil }
        return min(Int(text) ?? limit, limit)
    }

    /// 0 to ``limit``; 0 for nil. An index may contain any number.
    static func clamped(_ seconds: Int?) -> Int { min(max(0, seconds ?? 0), limit) }

    /// The whole seconds of a time interval, within the same range.
    static func clamped(_ interval: Double) -> Int { clamped(Int(clamping: interval)) }

    static func sum(_ first: Int, _ second: Int) -> Int { Int(min(Int64(first) + Int64(second), Int64(limit))) }

    /// Whether something with a lifetime, and a grace period after it, is still usable at an age.
    static func lasts(_ lifetime: Int, _ grace: Int, atAge age: Int) -> Bool {
        Int64(lifetime) + Int64(grace) > Int64(age)
    }
}
