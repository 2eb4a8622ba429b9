// swift-tools-version: 6.2
import PackageDescription

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")

/// An app target with the sources of one folder, in a language mode, with or without main actor isolation by default, which Xcode
/// enables for new projects. It has none of our settings and no upcoming features. SwiftPM needs a folder for each target: the
/// folders of the others are symlinks to the first one's.
func app(
    _ folder: String, _ mode: SwiftLanguageMode, isOnMainActor: Bool = false, dependencies: [Target.Dependency]
) -> Target {
    .target(
        name: folder, dependencies: dependencies,
        swiftSettings: [
            .treatAllWarnings(as: .error), .swiftLanguageMode(mode),
            .defaultIsolation(isOnMainActor ? MainActor.self : nil),
        ])
}

let apps: [Target] = [
    // With a symlink to the adapter's file, as if the app had copied it.
    ("AppWithTheFile", ["Kingfisher", halcyon] as [Target.Dependency]),
    ("AppWithThePackage", ["Kingfisher", "HalcyonKingfisher"]),
].flatMap { folder, dependencies in
    [
        app(folder, .v5, dependencies: dependencies),
        app("\(folder)OnMainActor", .v5, isOnMainActor: true, dependencies: dependencies),
        app("\(folder)InSwift6", .v6, dependencies: dependencies),
        app("\(folder)InSwift6OnMainActor", .v6, isOnMainActor: true, dependencies: dependencies),
    ]
}

// Builds the adapter against a fake of Kingfisher, which does not build on Linux, and runs its tests.
let package = Package(
    name: "LinuxCheck",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "Halcyon", path: "../../..")],
    targets: [
        // The part of Kingfisher that the adapter uses, with a small fake implementation.
        .target(name: "Kingfisher", dependencies: [halcyon]),
        // A symlink to the sources of the package that apps use.
        .target(name: "HalcyonKingfisher", dependencies: ["Kingfisher", halcyon]),
        .testTarget(
            name: "HalcyonKingfisherTests", dependencies: ["HalcyonKingfisher", "Kingfisher", halcyon]),
    ] + apps,
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
