// swift-tools-version: 6.2
import PackageDescription

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")

// A separate package, so that packages that depend on the library never resolve or build its benchmarks.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Halcyon", path: ".."),
        // The version that the library has resolved.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        // Scripts/bench runs it.
        .executableTarget(
            name: "Bench",
            dependencies: [
                "BenchReport", "CBareJPEG", "CSQLite", "Workload", halcyon,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // Processes the figures; depends on neither the library nor a disk.
        .target(name: "BenchReport"),
        .testTarget(name: "BenchReportTests", dependencies: ["BenchReport"]),
        // Decides which calls are made, in which order; depends on neither of them either.
        .target(name: "Workload"),
        .testTarget(name: "WorkloadTests", dependencies: ["Workload"]),
        // Only Linux decodes with it.
        .target(name: "CBareJPEG", linkerSettings: [.linkedLibrary("jpeg", .when(platforms: [.linux]))]),
        .executableTarget(name: "SchemaCandidates", dependencies: ["CSQLite"]),
        .executableTarget(name: "AdoptionOperations", dependencies: [halcyon]),
        .executableTarget(name: "HitRatios", dependencies: ["Workload", halcyon]),
    ],
    swiftLanguageModes: [.v6]
)
