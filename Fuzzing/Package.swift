// swift-tools-version: 6.2
import PackageDescription

// A separate package: it needs a compiler with libFuzzer, and users of the library never build it. `Scripts/fuzz` builds it with the
// instrumentation that the search for new inputs needs.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Halcyon", path: "..")],
    targets: [
        .target(name: "CFuzzer"),
        .target(name: "Fuzzer", dependencies: ["CFuzzer"]),
        .executableTarget(
            name: "FuzzImages", dependencies: ["Fuzzer", .product(name: "Halcyon", package: "Halcyon")]),
        .executableTarget(
            name: "FuzzIndex",
            dependencies: ["Fuzzer", .product(name: "Halcyon", package: "Halcyon")]),
    ],
    swiftLanguageModes: [.v6]
)
