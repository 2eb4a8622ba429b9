// swift-tools-version: 6.2
import PackageDescription

// SwiftPM takes the folder's name as the package's identity: a folder named Kingfisher would replace Kingfisher itself.
let package = Package(
    name: "HalcyonKingfisher",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "HalcyonKingfisher", targets: ["HalcyonKingfisher"])],
    dependencies: [
        .package(url: "https://github.com/onevcat/Kingfisher.git", from: "8.11.0"),
        .package(name: "Halcyon", path: "../../.."),
    ],
    targets: [
        .target(
            name: "HalcyonKingfisher",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"), .product(name: "Halcyon", package: "Halcyon"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
