// swift-tools-version: 6.2
import PackageDescription

/// The library's trait, with the same name and default.
let codecTrait = "ImageCodecs"

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")

// A separate package, because the products of one package share a directory for intermediate files. On a volume that ignores case,
// the library `Halcyon` and the executable `halcyon` would overwrite each other's files. Also, packages that use the library then
// do not resolve the tool's dependencies.
let package = Package(
    name: "HalcyonTool",
    platforms: [.macOS(.v12)],
    products: [.executable(name: "halcyon", targets: ["HalcyonCLI"])],
    traits: [
        .trait(name: codecTrait, description: "Passed on to the library: on Linux, the tool decodes pictures."),
        .default(enabledTraits: [codecTrait]),
    ],
    dependencies: [
        .package(
            name: "Halcyon", path: "..",
            traits: [.trait(name: codecTrait, condition: .when(traits: [codecTrait]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "HalcyonCLI",
            dependencies: [halcyon, .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // Scripts/demo runs it, beside the tool: an app's part of the main job.
        .executableTarget(name: "HalcyonDemo", dependencies: [halcyon]),
        // The tests read indexes, and write data into them that the library never writes.
        .systemLibrary(
            name: "CSQLite", path: "Tests/CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .testTarget(name: "HalcyonCLITests", dependencies: ["HalcyonCLI", "CSQLite", halcyon]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
