// swift-tools-version: 6.2
import PackageDescription

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")

// A separate package, so that packages that depend on the library never resolve or build its benchmarks.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Halcyon", path: ".."),
        // What the library has resolved already.
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
        // What becomes of the figures; needs neither the library nor a disk.
        .target(name: "BenchReport"),
        .testTarget(name: "BenchReportTests", dependencies: ["BenchReport"]),
        // Which calls are made, in which order; needs neither of them either.
        .target(name: "Workload"),
        .testTarget(name: "WorkloadTests", dependencies: ["Workload"]),
        // Linux alone decodes with it.
        .target(name: "CBareJPEG", linkerSettings: [.linkedLibrary("jpeg", .when(platforms: [.linux]))]),
        .executableTarget(name: "SchemaCandidates", dependencies: ["CSQLite"]),
        .executableTarget(name: "AdoptionOperations", dependencies: [halcyon]),
        .executableTarget(name: "HitRatios", dependencies: ["Workload", halcyon]),
    ],
    swiftLanguageModes: [.v6]
)
