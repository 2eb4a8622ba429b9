// swift-tools-version: 6.2
import PackageDescription

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")

/// An app with the sources of one folder, in a language mode, with or without Xcode's default for new projects: what does not say
/// otherwise belongs to the main actor. None of our settings, and no upcoming feature. The other targets' folders are links to
/// the one of the first: SwiftPM wants a folder for each.
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
    // With a link to the adapter's file, as it is when an app has copied it.
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

// Builds the adapter against a stand-in for Kingfisher, which does not build on Linux, and runs its tests.
let package = Package(
    name: "LinuxCheck",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "Halcyon", path: "../../..")],
    targets: [
        // What the adapter uses of Kingfisher, and a small fake behind it.
        .target(name: "Kingfisher", dependencies: [halcyon]),
        // A link to the sources of the package that apps use.
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
