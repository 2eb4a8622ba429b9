// Runs the library's arithmetic with a 32-bit `Int`, as on watches. Scripts/typecheck-apple compiles it together with
// Sources/Halcyon/Platform/{Clamping,FileDate,FrameSequence}.swift and HTTP/DeltaSeconds.swift for wasm32, and runs it. A failed check
// traps.

func check(_ isTrue: Bool) {
    if !isTrue { fatalError() }
}

check(Int.bitWidth == 32)

// Numbers.
check(Int(clamping: 2.9) == 2 && Int(clamping: -2.9) == -2)
check(Int(clamping: 2_147_483_647.0) == .max && Int(clamping: 2_147_483_648.0) == .max)
check(
    Int(clamping: Double.infinity) == .max && Int(clamping: -Double.infinity) == .min && Int(clamping: Double.nan) == 0)
check(Int(clamping: 31_536_000.0 * 100) == .max)
check(Int.bitmapBytes(width: 4000, height: 3000) == 48_000_000)
check(Int.bitmapBytes(width: 4000, height: 3000, pictures: 100) == .max)
check(Int.bitmapBytes(width: 1e9, height: 1e9, pictures: 1000) == .max)
check(Int(clamping: Double(Int32.max)) == .max)

// Frames.
check(FrameSequence.places(delays: Array(repeating: 65_535, count: 40_000)).count == 40_000)

// Seconds of HTTP.
check(DeltaSeconds.parse("") == nil && DeltaSeconds.parse("60") == 60 && DeltaSeconds.parse("6x") == nil)
check(DeltaSeconds.parse("99999999999999999999") == .max && DeltaSeconds.parse("2147483647") == .max)
check(DeltaSeconds.clamped(Int.min) == 0 && DeltaSeconds.clamped(nil) == 0 && DeltaSeconds.clamped(Int.max) == .max)
check(DeltaSeconds.clamped(1e300) == .max && DeltaSeconds.clamped(-1.0) == 0 && DeltaSeconds.clamped(2.9) == 2)
check(DeltaSeconds.sum(.max, .max) == .max && DeltaSeconds.sum(1, 2) == 3)
check(DeltaSeconds.lasts(.max, .max, atAge: .max) && !DeltaSeconds.lasts(1, 1, atAge: 2))

// Dates.
let never: Int32 = FileDate.seconds(ofMilliseconds: FileDate.never)
check(never == .max && FileDate.milliseconds(ofSeconds: never, nanoseconds: 0) == FileDate.never)
check(FileDate.milliseconds(ofSeconds: never, nanoseconds: 999_999_999) == FileDate.never)
let in2100: Int32 = FileDate.seconds(ofMilliseconds: 4_102_444_800_000)
check(in2100 == .max - 1 && FileDate.milliseconds(ofSeconds: in2100, nanoseconds: 0) < FileDate.neverFrom)
let last: Int32 = FileDate.seconds(ofMilliseconds: 2_147_483_647_000)
check(last == .max - 1)
let today: Int32 = FileDate.seconds(ofMilliseconds: 1_790_000_000_123)
check(today == 1_790_000_000 && FileDate.milliseconds(ofSeconds: today, nanoseconds: 123_456_789) == 1_790_000_000_123)

// Animations.
check(FrameSequence.places(delays: [.max, .max, 1]).count < 11_000)
