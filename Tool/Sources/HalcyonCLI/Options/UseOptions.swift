internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Whether reading an entry counts as a use.
struct UseOptions: ParsableArguments {
    @Flag(
        name: .customLong("count-use"),
        help: "Count as a use: the entry is evicted later, and its time to live restarts.")
    var counts = false

    /// The bytes of an entry.
    ///
    /// - Throws: ``Failure`` for a miss.
    func value(forKey key: String, _ naming: ExtensionOption, in storage: Storage) throws -> Data {
        let name = naming.pathExtension
        let data =
            try counts
            ? storage.value(forKey: key, forcedExtension: name) : storage.peek(forKey: key, forcedExtension: name)
        guard let data else { throw Get.miss(key, naming, in: storage) }
        return data
    }
}
