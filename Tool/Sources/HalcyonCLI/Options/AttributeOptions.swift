internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// What a store notes of its entries.
struct AttributeOptions: ParsableArguments {
    @Flag(help: "Pin the entries: they are neither evicted nor expire.")
    var pin = false

    @Option(
        help: ArgumentHelp("A word under which they can be found; more than once for several.", valueName: "word"),
        transform: TagText.parse)
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Something to note, as width=640; more than once for several.", valueName: "name=text"),
        transform: NamedText.parse)
    var note: [NamedText] = []

    @OptionGroup var validators: ValidatorOptions

    func validate() throws {
        do {
            try attributes.validate()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Pin and tags belong to the key: what is not given stays.
    var attributes: DiskStorage.EntryAttributes {
        DiskStorage.EntryAttributes(
            isPinned: pin ? true : nil, tags: tag.isEmpty ? nil : Set(tag), validators: validators.added(to: nil),
            metadata: note.isEmpty ? nil : Dictionary(note.map { ($0.name, $0.text) }) { $1 })
    }
}
