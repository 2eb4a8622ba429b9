/// How much is measured.
struct Plan {
    /// Entries of the caches that everything is measured in, ascending.
    let counts: [Int]
    /// Entries up to which the file-attribute backend comes along: each of its totals takes 70 µs an entry.
    let attributeLimit: Int
    /// Entries up to which tmpfs is measured too: beyond that it says little that the disk does not.
    let tmpfsLimit: Int
    /// Entries of the memory storage.
    let memoryCounts: [Int]
    /// Rows of the indexes that are asked for pages.
    let queryCounts: [Int]
    /// Repeats whose medians are compared with each other.
    let rounds = 5

    static let quick = Plan(
        counts: [1_000, 10_000, 100_000], attributeLimit: 10_000, tmpfsLimit: 10_000, memoryCounts: [1_000, 100_000],
        queryCounts: [100_000])
    static let full = Plan(
        counts: [1_000, 10_000, 100_000, 1_000_000], attributeLimit: 100_000, tmpfsLimit: .max,
        memoryCounts: [1_000, 100_000, 1_000_000], queryCounts: [100_000, 1_000_000])
}
