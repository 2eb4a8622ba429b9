import Foundation
import Testing

@_spi(HalcyonTool) @testable import Halcyon

/// Arithmetic that must not trap if `Int` and `time_t` have 32 bits. Scripts/typecheck-apple runs it with such an `Int`, too.
@Suite struct ClampingTests {
    @Test(arguments: [
        (2.9, 2), (-2.9, -2), (1e300, .max), (-1e300, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
        (0x1p63, Int.max), (-0x1p63, .min), (0x1p63.nextDown, 9_223_372_036_854_774_784),
    ])
    func `a number becomes the nearest Int`(number: Double, whole: Int) { #expect(Int(clamping: number) == whole) }

    @Test func `the bytes of a bitmap are clamped`() {
        #expect(Int.bitmapBytes(width: 4000.4, height: 2999.6) == 48_000_000)
        #expect(Int.bitmapBytes(width: 1e12, height: 1e12, pictures: 1_000_000) == .max)
        #expect(Int.bitmapBytes(width: .nan, height: 1) == 0)
    }

    @Test func `32 bits hold dates until 2038, and a mark for never`() {
        func there(_ time: Int64) -> Int64 {
            FileDate.milliseconds(ofSeconds: FileDate.seconds(ofMilliseconds: time, as: Int32.self), nanoseconds: 0)
        }
        #expect(there(1_790_000_000_000) == 1_790_000_000_000)
        #expect(there(FileDate.never) == FileDate.never)
        #expect(there(Timestamp.latest.milliseconds) == FileDate.never)
        // Later than 2038, but not never.
        #expect(there(4_102_444_800_000) == 2_147_483_646_000)
        #expect(there(2_147_483_647_000) == 2_147_483_646_000)
        #expect(FileDate.seconds(ofMilliseconds: .min, as: Int32.self) == .min)
    }

    @Test(arguments: [0, 1_790_000_000_000, 4_102_444_800_000, FileDate.never])
    func `64 bits hold each date`(time: Int64) {
        let seconds = FileDate.seconds(ofMilliseconds: time, as: Int64.self)
        #expect(FileDate.milliseconds(ofSeconds: seconds, nanoseconds: 0) == time)
    }

    @Test(arguments: [FileDate.never, FileDate.never + 1, Timestamp.latest.milliseconds, .max])
    func `the dates of blobs fit into 64-bit nanoseconds, as on APFS`(time: Int64) {
        let seconds = FileDate.seconds(ofMilliseconds: time, as: Int64.self)
        let (nanoseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        #expect(!isTooLarge && nanoseconds <= Int64.max - 999_999_999)
        #expect(FileDate.milliseconds(ofSeconds: seconds, nanoseconds: 0) >= FileDate.neverFrom)
    }

    /// Kingfisher writes 4001, of which APFS keeps the lower 64 bits of its nanoseconds.
    @Test func `Kingfisher's date means never on APFS too`() {
        let nanoseconds = Int64(64_092_211_200).multipliedFullWidth(by: 1_000_000_000).low
        let seconds = Int64(bitPattern: UInt64(nanoseconds)) / 1_000_000_000
        #expect(FileDate.milliseconds(ofSeconds: seconds, nanoseconds: 0) >= FileDate.neverFrom)
    }

    @Test(arguments: [Int64.min, .max, 10_000_000_000_000_000])
    func `any date of a file is a time`(seconds: Int64) {
        let time = FileDate.milliseconds(ofSeconds: seconds, nanoseconds: 999_999_999)
        #expect(abs(time) > 1 << 62 && (time < 0) == (seconds < 0))
    }

    @Test func `a timer with the longest interval starts`() {
        #expect(CleanTimer(interval: .greatestFiniteMagnitude) {} != nil)
    }
}
