// swift-tools-version: 6.2
import PackageDescription

// The tests that see the library as an app does, against an optimized build of it: the compiler can get that one wrong alone.
let package = Package(
    name: "HalcyonOptimized",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "Halcyon", path: "../..")],
    targets: [
        // Symlinks to the tests. One suite looks for files of the library's package.
        .testTarget(
            name: "HalcyonClientTests",
            dependencies: ["HalcyonMainActorApp", .product(name: "Halcyon", package: "Halcyon")],
            exclude: ["ReleaseTests.swift"],
            // As the trait of the same name does in the library's own package.
            swiftSettings: [.define("ImageCodecs")]),
        .target(
            name: "HalcyonMainActorApp", dependencies: [.product(name: "Halcyon", package: "Halcyon")],
            path: "Tests/MainActorApp", swiftSettings: [.defaultIsolation(MainActor.self)]),
    ]
)
