public import Foundation

/// What a processor starts from.
public enum ImageProcessItem: Sendable {
    /// An image that exists already.
    case image(KFCrossPlatformImage)
    /// A file's bytes, as they were downloaded or read.
    case data(Data)
}

/// Makes the image that is shown, and cached, of the one that was downloaded.
public protocol ImageProcessor: Sendable {
    /// Becomes part of the key under which results are cached, so it has to tell processors with other results apart:
    /// reverse domain notation with the parameters is a good choice. Empty only for ``DefaultImageProcessor``.
    var identifier: String { get }

    /// Makes the image. The cache itself never calls it: whoever manages downloads does.
    ///
    /// - Parameters:
    ///   - item: what to start from.
    ///   - options: of the call for which the image is made.
    /// - Returns: nil if the item cannot be processed.
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}

extension ImageProcessor {
    /// This processor, and then another one of its result. The identifiers are joined by `|>`.
    public func append(another: any ImageProcessor) -> any ImageProcessor {
        ProcessorChain(first: self, second: another)
    }
}

infix operator |> : AdditionPrecedence

/// The left processor, and then the right one of its result.
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

/// Makes an image of data, and changes nothing about one that exists but its scale.
public struct DefaultImageProcessor: ImageProcessor {
    /// The one that is used where nobody names another one.
    public static let `default` = DefaultImageProcessor()

    /// Empty: what this processor makes is cached under the key alone.
    public let identifier = ""

    /// Has no settings.
    public init() {}

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image.kf.scaled(to: options.scaleFactor)
        case .data(let data): KingfisherWrapper.image(data: data, options: options.imageCreatingOptions)
        }
    }
}
