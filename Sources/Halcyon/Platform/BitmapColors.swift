/// The colour spaces of a bitmap that a picture is drawn into.
enum BitmapColors: Equatable {
    case own, displayP3, sRGB

    /// The first one that the system accepts is taken. A picture with more colours than sRGB keeps those of Display P3 at least.
    static func candidates(isRGB: Bool, canBeDrawnInto: Bool, isWide: Bool) -> [BitmapColors] {
        (isRGB && canBeDrawnInto ? [.own] : []) + (isWide ? [.displayP3] : []) + [.sRGB]
    }
}
