internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The entries that a command selects: those that match every given condition.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only keys that begin with this.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("Only keys that contain this, ignoring case.", valueName: "text"))
    var filter: String?

    @Option(help: ArgumentHelp("Only this image and its variants.", valueName: "key"))
    var variantsOf: String?

    @Option(help: ArgumentHelp("Only keys that are URLs on this host.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("Only variants made by this processor.", valueName: "identifier"))
    var processor: String?

    @Flag(help: "Only originals, not variants made by a processor.")
    var originals = false

    @Option(help: ArgumentHelp("Only entries with this tag.", valueName: "word"))
    var tag: String?

    @Option(
        help: ArgumentHelp("Only entries of this size or larger, such as 1MB or 800k.", valueName: "size"),
        transform: ByteSize.parse)
    var larger: ByteSize?

    @Option(help: ArgumentHelp("Only entries of this size or smaller.", valueName: "size"), transform: ByteSize.parse)
    var smaller: ByteSize?

    @Option(
        help: ArgumentHelp("Only entries stored longer ago than this, such as 7d, 12h, 30m or 90s.", valueName: "age"),
        transform: Age.parse)
    var older: Age?

    @Option(help: ArgumentHelp("Only entries stored more recently than this.", valueName: "age"), transform: Age.parse)
    var newer: Age?

    @Option(help: ArgumentHelp("Only entries not used for this long.", valueName: "age"), transform: Age.parse)
    var unused: Age?

    @Flag(help: "Only expired entries, which the next clean removes.")
    var expired = false

    @Option(
        help: ArgumentHelp("Only entries that expire within this time or have expired.", valueName: "age"),
        transform: Age.parse)
    var expiresWithin: Age?

    @Flag(help: "Only pinned entries.")
    var pinned = false

    @Flag(help: "Only entries that are not pinned.")
    var unpinned = false

    func validate() throws {
        try refuseRepetitions()
        try refuseNothing()
        try refuseContradictions()
    }

    /// Throws for a condition that is given twice: the parser keeps only the last one, and a removal would remove more than it should.
    private func refuseRepetitions() throws {
        let conditions = [
            "--prefix", "--filter", "--variants-of", "--host", "--processor", "--tag", "--larger", "--smaller",
            "--older", "--newer", "--unused", "--expires-within",
        ]
        let arguments = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        for name in conditions where arguments.count(where: { $0 == name || $0.hasPrefix(name + "=") }) > 1 {
            throw ValidationError("\(name) is given twice. An entry must meet all conditions: give it once.")
        }
    }

    /// Throws for an empty value: it is probably an unset variable in a script, and would match all entries or none.
    private func refuseNothing() throws {
        let texts = [
            ("--prefix", prefix), ("--variants-of", variantsOf), ("--host", host), ("--processor", processor),
            ("--tag", tag),
        ]
        for (name, text) in texts where text?.isEmpty ?? false {
            throw ValidationError("\(name) is empty. Give a text, or leave \(name) out.")
        }
    }

    private func refuseContradictions() throws {
        func refuse(_ reason: String) -> ValidationError {
            ValidationError("\(reason), so no entry can match. Leave out one of the two.")
        }
        if pinned, unpinned { throw refuse("--pinned and --unpinned exclude each other") }
        if pinned, expired || expiresWithin != nil { throw refuse("Pinned entries do not expire") }
        if originals, processor != nil { throw refuse("--originals excludes variants made by a --processor") }
        if let larger, let smaller, larger.bytes > smaller.bytes { throw refuse("--larger is above --smaller") }
        if let older, let newer, older.seconds >= newer.seconds { throw refuse("--older is not below --newer") }
    }

    /// Whether there are no conditions.
    var isEmpty: Bool { entryFilter(at: Date()) == .all }

    /// - Parameter now: the time from which ages are counted, the same for all queries of a command.
    func entryFilter(at now: Date) -> DiskStorage.EntryFilter {
        var filter = DiskStorage.EntryFilter(
            keyPrefix: prefix, text: filter, baseKey: variantsOf, host: host,
            processorIdentifier: originals ? "" : processor, tag: tag, minimumSize: larger?.bytes,
            maximumSize: smaller?.bytes)
        filter.createdBefore = older.map { now - $0.seconds }
        filter.createdAfter = newer.map { now - $0.seconds }
        filter.accessedBefore = unused.map { now - $0.seconds }
        filter.expiresBefore = expiresWithin.map { now + $0.seconds }
        filter.isExpired = expired ? true : nil
        filter.isPinned = pinned ? true : unpinned ? false : nil
        return filter
    }
}
