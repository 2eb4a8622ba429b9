internal import ArgumentParser

/// The part of an entry's identity other than its key.
struct ExtensionOption: ParsableArguments {
    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp(
            "The file name extension of the blob. It is part of the entry's identity: if you put an entry with an "
                + "extension, pass the same one to find it.", valueName: "ext"),
        transform: parse)
    var pathExtension: String?

    @Sendable private static func parse(_ text: String) throws -> String {
        let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
        guard !name.isEmpty, !name.contains("/"), !name.contains("\0"), name.utf8.count <= 64 else {
            throw ValidationError("An extension, such as png, has 1 to 64 bytes and no slash.")
        }
        return name
    }
}
