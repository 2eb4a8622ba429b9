// The declarations that samples about Kingfisher assume, like Context.swift.
import Foundation
import HalcyonKingfisher
import Kingfisher

var url: URL { fatalError() }
var data: Data { fatalError() }
var image: KFCrossPlatformImage { fatalError() }
var result: CacheStoreResult { fatalError() }
func show(_ image: KFCrossPlatformImage?) { fatalError() }
func report(_ error: any Error) { fatalError() }

// The stand-in for Kingfisher has no views.
struct ImageView {
    struct Wrapper {
        func setImage(with url: URL?) { fatalError() }
    }
    var kf: Wrapper { fatalError() }
}
var imageView: ImageView { fatalError() }
