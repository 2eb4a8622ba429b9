// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that apps that use only the library resolve neither swift-log nor swift-metrics.
let package = Package(
    name: "HalcyonObservability",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "HalcyonObservability", targets: ["HalcyonObservability"])],
    dependencies: [
        // The app chooses whether images are decoded: a trait that one dependency enables is enabled for all.
        .package(name: "Halcyon", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
    ],
    targets: [
        .target(
            name: "HalcyonObservability",
            dependencies: [
                .product(name: "Halcyon", package: "Halcyon"), .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ]),
        .testTarget(
            name: "HalcyonObservabilityTests",
            dependencies: [
                "HalcyonObservability", .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
