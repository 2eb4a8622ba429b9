// swift-tools-version: 6.2
import PackageDescription

// Builds the adapter against a stand-in for Kingfisher, which does not build on Linux, and runs its tests.
let package = Package(
    name: "LinuxCheck",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "Halcyon", path: "../../..")],
    targets: [
        // What the adapter uses of Kingfisher, and a small fake behind it.
        .target(name: "Kingfisher", dependencies: [.product(name: "Halcyon", package: "Halcyon")]),
        // A link to the sources of the package that apps use.
        .target(
            name: "HalcyonKingfisher",
            dependencies: ["Kingfisher", .product(name: "Halcyon", package: "Halcyon")]),
        // A link to the file alone, as it is when an app has copied it: with Swift 5's rules and none of our settings.
        .target(
            name: "AppWithTheFile",
            dependencies: ["Kingfisher", .product(name: "Halcyon", package: "Halcyon")],
            swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)]),
        .testTarget(
            name: "HalcyonKingfisherTests",
            dependencies: ["HalcyonKingfisher", "Kingfisher", .product(name: "Halcyon", package: "Halcyon")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.swiftSettings == nil {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
