// What the samples about Kingfisher take for granted: as Context.swift, for apps that use Kingfisher's views.
import Foundation
import HalcyonKingfisher
import Kingfisher

var url: URL { fatalError() }
