internal import ArgumentParser

/// The part of an entry's identity other than its key.
struct ExtensionOption: ParsableArguments {
    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp(
            "The extension of the blob's file name. Part of the entry's identity: what was put with one is found with "
                + "the same one.", valueName: "ext"),
        transform: parse)
    var pathExtension: String?

    @Sendable private static func parse(_ text: String) throws -> String {
        let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
        guard !name.isEmpty, !name.contains("/"), !name.contains("\0"), name.utf8.count <= 64 else {
            throw ValidationError("An extension is something like png: up to 64 bytes and no slash.")
        }
        return name
    }
}
