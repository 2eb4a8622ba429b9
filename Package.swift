// swift-tools-version: 6.2
import PackageDescription

/// The condition for this package's codecs: on Linux, with the trait. Elsewhere the system decodes.
let codecTrait = "ImageCodecs"

/// Settings for targets that stand in for apps.
let clientTests = "HalcyonClientTests"
let mainActorApp = "HalcyonMainActorApp"

/// App Store uploads need the privacy manifest. On other systems it is left out, because as a resource it would add a bundle to
/// every program that links the library.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(macOS)
    let (excluded, resources): ([String], [Resource]) = ([], [.copy(privacyManifest)])
#else
    let (excluded, resources): ([String], [Resource]) = ([privacyManifest], [])
#endif

let package = Package(
    name: "Halcyon",
    // SQLite with RETURNING (3.35) ships from these versions on.
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    // The command line tool is a package of its own, in Tool: on a volume that ignores case, one package cannot build both a
    // library `Halcyon` and an executable `halcyon`.
    products: [.library(name: "Halcyon", targets: ["Halcyon"])],
    traits: [
        .trait(
            name: codecTrait,
            description: "On Linux: PNG, JPEG, GIF and WebP. Off: libpng, libjpeg, giflib and libwebp are not needed."),
        .default(enabledTraits: [codecTrait]),
    ],
    dependencies: [
        // SHA-256 where CryptoKit is not part of the system.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        // Only HalcyonTorture needs it, and that is not in a product, so packages that use the library do not resolve it.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // For `swift package generate-documentation`. No target uses it: packages that use the library do not resolve it, either.
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
    ],
    targets: [
        // The C modules have the package's name as a prefix: a build cannot contain two modules with the same name,
        // and "CSQLite" and "CSystem" are taken by other packages.
        .systemLibrary(
            name: "CHalcyonSQLite", path: "Sources/CSQLite",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(name: "CHalcyonSystem", dependencies: ["CHalcyonSQLite"], path: "Sources/CSystem"),
        .target(
            name: "CHalcyonImageShims", path: "Sources/CImageShims",
            cSettings: [.define("HALCYON_IMAGE_CODECS", .when(platforms: [.linux], traits: [codecTrait]))],
            linkerSettings: ["png", "jpeg", "gif", "webp"].map {
                .linkedLibrary($0, .when(platforms: [.linux], traits: [codecTrait]))
            }),
        .target(name: "HalcyonSQLite", dependencies: ["CHalcyonSQLite", "CHalcyonSystem"]),
        .target(
            name: "HalcyonMigrations", dependencies: ["HalcyonSQLite"], path: "Migrations",
            // EmbeddedSQL.swift has their text: `.embedInCode` does not build in Xcode.
            exclude: [
                "V0001__create_entries.sql", "V0002__find_legacy_names.sql", "V0003__count_uses.sql",
                "V0004__describe_entries.sql", "V0005__list_entries.sql", "V0006__show_more.sql",
                "V0007__explain_itself.sql", "V0008__copy_less.sql",
            ]),
        .target(
            name: "Halcyon",
            dependencies: [
                "HalcyonSQLite", "HalcyonMigrations", "CHalcyonSystem",
                .target(name: "HalcyonImageCodecs", condition: .when(platforms: [.linux])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
            ],
            exclude: excluded, resources: resources),
        .target(
            name: "HalcyonImageCodecs",
            dependencies: [
                .target(
                    name: "CHalcyonImageShims", condition: .when(platforms: [.linux], traits: [codecTrait]))
            ]),
        .target(
            name: "HalcyonTestSupport",
            dependencies: ["Halcyon", "HalcyonSQLite", "HalcyonMigrations", "CHalcyonFaultVFS"],
            path: "Tests/Support"),
        .target(name: "HalcyonTestLimits", path: "Tests/TimeLimits"),
        .target(name: "CHalcyonFaultVFS", dependencies: ["CHalcyonSQLite"], path: "Tests/FaultVFS"),
        // Scripts/torture and Scripts/soak run it.
        .executableTarget(
            name: "HalcyonTorture",
            dependencies: [
                "Halcyon", "HalcyonMigrations", "CHalcyonSQLite", "HalcyonTestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Torture"),
        // Scripts/instructions counts what it executes.
        .executableTarget(name: "HalcyonHotPaths", dependencies: ["Halcyon"], path: "Tests/HotPaths"),
        // Scripts/api runs it.
        .executableTarget(name: "HalcyonAPIDigest", path: "Tests/APIDigest"),
        .testTarget(name: "HalcyonAPIDigestTests", dependencies: ["HalcyonAPIDigest"]),
        // Compiled like an app: it sees only the public API, and the strict settings of this package do not apply to it.
        .testTarget(name: clientTests, dependencies: ["Halcyon", .byName(name: mainActorApp)], packageAccess: false),
        .target(
            name: mainActorApp, dependencies: ["Halcyon"], path: "Tests/MainActorApp", packageAccess: false,
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "HalcyonTortureTests", dependencies: ["CHalcyonSQLite", "HalcyonTorture", "HalcyonTestSupport"]),
        .testTarget(
            name: "HalcyonSQLiteTests",
            dependencies: ["CHalcyonSQLite", "HalcyonSQLite", "HalcyonTestSupport", "HalcyonTestLimits"]),
        .testTarget(
            name: "HalcyonTests",
            dependencies: [
                "Halcyon", "HalcyonSQLite", "HalcyonMigrations", "HalcyonTestSupport", "HalcyonTestLimits",
            ],
            resources: [.copy("Golden")]),
        // The tests of crashes run it.
        .executableTarget(
            name: "HalcyonCrashServer", dependencies: ["HalcyonTestSupport", "CHalcyonFaultVFS"],
            path: "Tests/CrashServer"),
        .testTarget(
            name: "HalcyonFaultTests",
            dependencies: [
                "Halcyon", "HalcyonSQLite", "HalcyonMigrations", "HalcyonTestSupport", "HalcyonTestLimits",
                "HalcyonCrashServer", "HalcyonHotPaths",
            ]),
        .testTarget(
            name: "HalcyonImageCodecsTests",
            dependencies: ["HalcyonImageCodecs", "HalcyonTestSupport"],
            resources: [.copy("Fixtures")]),
    ],
    swiftLanguageModes: [.v6]
)

let targetsInC = ["CHalcyonSystem", "CHalcyonImageShims", "CHalcyonFaultVFS"]
let others = targetsInC + [clientTests, mainActorApp]
for target in package.targets where target.type != .system && !others.contains(target.name) {
    // Scripts/test finds warnings. As errors, those of a later compiler would break apps that have this package in a directory.
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        // Also for the file that SwiftPM generates for the resource on macOS: its imports say nothing of their level.
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
