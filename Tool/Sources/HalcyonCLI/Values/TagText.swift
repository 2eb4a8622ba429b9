internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// A word under which entries can be found.
enum TagText {
    /// For arguments.
    @Sendable static func parse(_ text: String) throws -> String {
        do {
            try DiskStorage.EntryAttributes(tags: [text]).validate()
        } catch {
            throw ValidationError("\(error)")
        }
        return text
    }
}
