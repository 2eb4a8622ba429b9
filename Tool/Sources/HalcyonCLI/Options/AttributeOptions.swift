internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// The attributes that a store sets on its entries.
struct AttributeOptions: ParsableArguments {
    @Flag(help: "Pin the entries, so that they are not evicted and do not expire.")
    var pin = false

    @Option(
        help: ArgumentHelp("Tag the entries with this word. Repeat for more tags.", valueName: "word"),
        transform: TagText.parse)
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Add a note, such as width=640. Repeat for more notes.", valueName: "name=text"),
        transform: NamedText.parse)
    var note: [NamedText] = []

    @Flag(help: "Do not extend the expiration when the entries are read.")
    var keepExpiration = false

    @OptionGroup var validators: ValidatorOptions

    func validate() throws {
        do {
            try attributes.validate()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Pin and tags belong to the key: omitted options keep their old values.
    var attributes: DiskStorage.EntryAttributes {
        DiskStorage.EntryAttributes(
            isPinned: pin ? true : nil, tags: tag.isEmpty ? nil : Set(tag), validators: validators.added(to: nil),
            metadata: note.isEmpty ? nil : Dictionary(note.map { ($0.name, $0.text) }) { $1 },
            keepsExpiration: keepExpiration ? true : nil)
    }
}
