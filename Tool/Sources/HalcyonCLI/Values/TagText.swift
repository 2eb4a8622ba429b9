internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// A tag, by which entries can be found.
enum TagText {
    /// Parses a command-line argument.
    @Sendable static func parse(_ text: String) throws -> String {
        do {
            try DiskStorage.EntryAttributes(tags: [text]).validate()
        } catch {
            throw ValidationError("\(error)")
        }
        return text
    }
}
