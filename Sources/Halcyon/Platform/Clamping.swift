// Arithmetic that must not trap where `Int`, `CGFloat` and `time_t` have 32 bits, as on watches (arm64_32). Imports nothing, so
// that Scripts/typecheck-apple can run it with a 32-bit `Int`.

extension Int {
    /// Rounds toward zero and clamps to the range of `Int`; 0 for not-a-number.
    init(clamping value: Double) {
        let whole = value.rounded(.towardZero)
        self = Int(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0)
    }

    /// The bytes of `pictures` bitmaps with four bytes a pixel.
    static func bitmapBytes(width: Double, height: Double, pictures: Int = 1) -> Int {
        Int(clamping: (width.rounded() * height.rounded()).rounded() * 4 * Double(pictures))
    }
}
