public import Foundation

/// What `kf` gives access to: functions for a type that are not among its own.
public struct KingfisherWrapper<Base> {
    /// What it is about.
    public let base: Base
    /// As `base.kf`.
    public init(_ base: Base) { self.base = base }
}

extension KingfisherWrapper: Sendable where Base: Sendable {}

/// An object that has `kf`.
public protocol KingfisherCompatible: AnyObject {}

/// A value that has `kf`.
public protocol KingfisherCompatibleValue {}

// The setters do nothing: with them a property of the wrapper can be assigned through `kf`.
// Disfavored, because Kingfisher has a `kf` of its own. In an app with both modules members are found in all files, whatever a file
// imports: without this each `kf` would be ambiguous.

extension KingfisherCompatible {
    /// The functions that this package adds to the type.
    @_disfavoredOverload
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension KingfisherCompatibleValue {
    /// The functions that this package adds to the type.
    @_disfavoredOverload
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension Data: KingfisherCompatibleValue {}
extension String: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == Data {
    /// Told by the first bytes. Eight bytes or fewer are no image.
    public var imageFormat: ImageFormat { ImageFormat(base) }
}

extension KingfisherWrapper where Base == String {
    /// The SHA-256 of the UTF-8, as 64 lower-case hexadecimal digits.
    var sha256: String { Digest(of: base).hexadecimal }

    /// The file name extension that a key suggests.
    var ext: String? { BlobName.suggestedExtension(ofKey: base) }
}
