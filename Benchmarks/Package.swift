// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that whoever depends on the library never resolves or builds its benchmarks.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halcyon", path: "..")],
    targets: [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        // What becomes of figures; needs neither the library nor a disk.
        .target(name: "BenchReport"),
        .testTarget(name: "BenchReportTests", dependencies: ["BenchReport"]),
        .executableTarget(name: "SchemaCandidates", dependencies: ["CSQLite"]),
        .executableTarget(name: "DiskOperations", dependencies: [.product(name: "Halcyon", package: "Halcyon")]),
        .executableTarget(name: "AdoptionOperations", dependencies: [.product(name: "Halcyon", package: "Halcyon")]),
        .executableTarget(
            name: "QueryOperations", dependencies: ["CSQLite", .product(name: "Halcyon", package: "Halcyon")]),
        .executableTarget(name: "MemoryOperations", dependencies: [.product(name: "Halcyon", package: "Halcyon")]),
    ],
    swiftLanguageModes: [.v6]
)
