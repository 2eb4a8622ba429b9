// swift-tools-version: 6.2
import PackageDescription

/// The library's, with the same name and the same default.
let codecTrait = "ImageCodecs"

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")

// A package of its own: the intermediate files of a package's products are in one folder, and on a volume that does not tell upper from
// lower case the library `Halcyon` and the executable `halcyon` would overwrite each other's. Packages that use the library do not
// resolve what the tool alone needs, either.
let package = Package(
    name: "HalcyonTool",
    platforms: [.macOS(.v12)],
    products: [.executable(name: "halcyon", targets: ["HalcyonCLI"])],
    traits: [
        .trait(name: codecTrait, description: "The library's trait of this name: on Linux the tool decodes pictures."),
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
        // The tests look into indexes, and write into them what the library never would.
        .systemLibrary(
            name: "CSQLite", path: "Tests/CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .testTarget(name: "HalcyonCLITests", dependencies: ["HalcyonCLI", "CSQLite", halcyon]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        // As the library has it.
        .treatAllWarnings(as: .error, .when(platforms: [.linux])),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
