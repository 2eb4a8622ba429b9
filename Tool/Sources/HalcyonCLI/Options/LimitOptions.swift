internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// The limits beyond which entries are evicted.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The size limit, such as 50MB or 1.5GiB.", valueName: "size"),
        transform: ByteSize.parse)
    var limit: ByteSize?

    @Option(help: ArgumentHelp("The maximum number of entries.", valueName: "number"))
    var countLimit: Int?

    @Option(
        help: ArgumentHelp("The free space that the volume should keep.", valueName: "size"),
        transform: ByteSize.parse)
    var keepFree: ByteSize?

    @Option(
        help: ArgumentHelp(
            "The fraction of --limit and --count-limit that an eviction leaves, from 0 to 1. (default: 0.5)",
            valueName: "ratio"))
    var lowWater: Double?

    func validate() throws {
        if limit?.bytes == 0 || countLimit == 0 {
            throw ValidationError("A limit of 0 keeps nothing. Use ‘halcyon remove --all’ to remove everything.")
        }
        if let countLimit, countLimit < 0 { throw ValidationError("--count-limit is a number of entries, 1 or more.") }
        if keepFree?.bytes == 0 {
            throw ValidationError("--keep-free 0 is no limit. Give a size, such as 2GB, or leave it out.")
        }
        guard let lowWater else { return }
        guard (0...1).contains(lowWater) else {
            throw ValidationError(
                "--low-water is a number from 0 to 1, "
                    + "such as 0.8.")
        }
        guard limit != nil || countLimit != nil else {
            throw ValidationError("--low-water is a fraction of a limit. Also give --limit or --count-limit.")
        }
    }

    var isEmpty: Bool { limit == nil && countLimit == nil && keepFree == nil }

    /// Sets the limits on a storage.
    func apply(to storage: Storage) {
        storage.config.sizeLimit = UInt(limit?.bytes ?? 0)
        storage.config.countLimit = countLimit ?? 0
        storage.config.keepFreeBytes = UInt(keepFree?.bytes ?? 0)
        storage.config.lowWaterRatio = lowWater ?? storage.config.lowWaterRatio
    }

    var members: [(name: String, value: JSON)] {
        [
            ("limit", limit.map { .integer($0.bytes) } ?? .null), ("count_limit", .integer(countLimit)),
            ("keep_free", keepFree.map { .integer($0.bytes) } ?? .null),
            ("low_water", limit == nil && countLimit == nil ? .null : .decimal(lowWater ?? 0.5)),
        ]
    }
}
