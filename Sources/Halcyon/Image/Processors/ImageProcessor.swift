public import Foundation

/// The input of a processor.
public enum ImageProcessItem: Sendable {
    /// An existing image.
    case image(KFCrossPlatformImage)
    /// A file's bytes, as downloaded or read.
    case data(Data)
}

/// Turns a downloaded image into the one that is shown and cached.
public protocol ImageProcessor: Sendable {
    /// Part of the key under which results are cached, so it must differ for processors with different results. Use reverse
    /// domain notation with the parameters. Empty only for ``DefaultImageProcessor``.
    var identifier: String { get }

    /// Processes an image. The cache never calls it; your download code does.
    ///
    /// - Parameters:
    ///   - item: the input.
    ///   - options: the options of the call that needs the image.
    /// - Returns: nil if the item cannot be processed.
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}

extension ImageProcessor {
    /// Returns a processor that applies this one and then `another`. Joins their identifiers with `|>`.
    public func append(another: any ImageProcessor) -> any ImageProcessor {
        ProcessorChain(first: self, second: another)
    }
}

infix operator |> : AdditionPrecedence

/// Returns a processor that applies the left one and then the right one.
public func |> (left: any ImageProcessor, right: any ImageProcessor) -> any ImageProcessor {
    left.append(another: right)
}

private struct ProcessorChain: ImageProcessor {
    let first: any ImageProcessor
    let second: any ImageProcessor

    var identifier: String { "\(first.identifier)|>\(second.identifier)" }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        first.process(item: item, options: options).flatMap { second.process(item: .image($0), options: options) }
    }
}

/// Makes an image from data. If the input is already an image, only its scale changes.
public struct DefaultImageProcessor: ImageProcessor {
    /// The default processor.
    public static let `default` = DefaultImageProcessor()

    /// Empty: its results are cached under the key alone.
    public let identifier = ""

    /// Creates a processor; it has no settings.
    public init() {}

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image.kf.scaled(to: options.scaleFactor)
        case .data(let data): KingfisherWrapper.image(data: data, options: options.imageCreatingOptions)
        }
    }
}
