import Foundation
import Fuzzer
import Halcyon

// Any bytes decode to a picture or an error, without a trap and without a read beyond them. The first byte selects the operation on the
// rest: all frames of an animation or the first, a smaller size, or the cache's own serializer.
fuzz { bytes, count in
    let input = data(bytes, count)
    guard let choice = input.first else { return 0 }
    let file = Data(input.dropFirst())
    switch choice % 4 {
    case 0: decode(file, firstFrameOnly: true)
    case 1: decode(file, firstFrameOnly: false)
    case 2: downsample(file)
    default: serialize(file)
    }
    return 0
}

func decode(_ file: Data, firstFrameOnly: Bool) {
    let options = ImageCreatingOptions(preloadAll: !firstFrameOnly, onlyFirstFrame: firstFrameOnly)
    _ = KingfisherWrapper<KFCrossPlatformImage>.image(data: file, options: options)
}

func downsample(_ file: Data) {
    _ = KingfisherWrapper<KFCrossPlatformImage>.downsampledImage(
        data: file, to: CGSize(width: 16, height: 16), scale: 2)
}

/// An encoded picture decodes again. Not every picture can be encoded: if its data is damaged after the header, the decoder finds that only
/// when it reads the pixels.
func serialize(_ file: Data) {
    let serializer = FormatIndicatedCacheSerializer.png
    let options = KingfisherParsedOptionsInfo(nil)
    guard let image = serializer.image(with: file, options: options) else { return }
    guard let encoded = serializer.data(with: image, original: nil) else { return }
    guard serializer.image(with: encoded, options: options) != nil else {
        fatalError("what was encoded is no picture")
    }
}
