import Foundation
import Fuzzer
import Halcyon

// Any bytes are a picture or none: no trap, no read outside of them, no memory kept. The first byte says what is asked of the
// rest: all pictures of an animation or the first, a smaller size, the serializer that the cache itself uses.
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

/// What is decoded can be encoded, and is a picture again.
func serialize(_ file: Data) {
    let serializer = FormatIndicatedCacheSerializer.png
    let options = KingfisherParsedOptionsInfo(nil)
    guard let image = serializer.image(with: file, options: options) else { return }
    guard let encoded = serializer.data(with: image, original: nil),
        serializer.image(with: encoded, options: options) != nil
    else {
        fatalError("a picture that was decoded cannot be encoded and decoded again")
    }
}
