/// The color spaces of a bitmap to draw an image into.
enum BitmapColors: Equatable {
    case own, displayP3, sRGB

    /// Candidates in order; the first one that the system accepts is used. An image with a wider gamut than sRGB keeps at least
    /// Display P3.
    static func candidates(isRGB: Bool, canBeDrawnInto: Bool, isWide: Bool) -> [BitmapColors] {
        (isRGB && canBeDrawnInto ? [.own] : []) + (isWide ? [.displayP3] : []) + [.sRGB]
    }
}
