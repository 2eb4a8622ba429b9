import Foundation
import Fuzzer
import Halcyon

// Any bytes decode to a picture or an error, without a trap and without a read beyond them. The first byte selects the operation on the
// rest: all frames of an animation or the first, a smaller size, or one of the cache's own serializers.
let serializers: [FormatIndicatedCacheSerializer] = [.png, .jpeg, .gif]
fuzz { bytes, count in
    let input = data(bytes, count)
    guard let choice = input.first else { return 0 }
    let file = Data(input.dropFirst())
    switch choice % 4 {
    case 0: decode(file, firstFrameOnly: true)
    case 1: decode(file, firstFrameOnly: false)
    case 2: downsample(file)
    default: serialize(file, by: serializers[Int(choice / 4) % serializers.count])
    }
    return 0
}

func decode(_ file: Data, firstFrameOnly: Bool) {
    let options = ImageCreatingOptions(preloadAll: !firstFrameOnly, onlyFirstFrame: firstFrameOnly)
    // An image decodes when it is used.
    _ = KingfisherWrapper<KFCrossPlatformImage>.image(data: file, options: options)?.kf.decoded
}

func downsample(_ file: Data) {
    let size = CGSize(width: 16, height: 16)
    _ = KingfisherWrapper<KFCrossPlatformImage>.downsampledImage(data: file, to: size, scale: 2)?.kf.decoded
}

/// An encoded picture decodes again. Not every picture can be encoded: if its data is damaged after the header, the decoder finds that only
/// when it reads the pixels.
func serialize(_ file: Data, by serializer: FormatIndicatedCacheSerializer) {
    let options = KingfisherParsedOptionsInfo(nil)
    guard let image = serializer.image(with: file, options: options) else { return }
    guard let encoded = serializer.data(with: image, original: nil) else { return }
    guard serializer.image(with: encoded, options: options) != nil else {
        fatalError("what was encoded is no picture")
    }
}
