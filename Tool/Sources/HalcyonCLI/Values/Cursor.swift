internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The end of a page of a listing, as text that a script can pass back: the library's cursor in base64.
struct Cursor: Sendable {
    let place: DiskStorage.EntryCursor
    /// The order in which the listing continues.
    let order: Order

    /// The part of the library's cursor that other arguments may contradict.
    struct Order: Codable, Equatable, Sendable {
        let order: DiskStorage.EntryOrder
        let isDescending: Bool
    }

    static func text(of place: DiskStorage.EntryCursor) throws -> String {
        try JSONEncoder().encode(place).base64EncodedString()
    }

    private init?(_ text: String) {
        guard let data = Data(base64Encoded: text) else { return nil }
        do {
            place = try JSONDecoder().decode(DiskStorage.EntryCursor.self, from: data)
            order = try JSONDecoder().decode(Order.self, from: data)
        } catch {
            return nil
        }
    }

    /// Parses a command-line argument.
    @Sendable static func parse(_ text: String) throws -> Cursor {
        guard let cursor = Cursor(text) else {
            throw ValidationError("--after takes the \"next\" that ‘halcyon list --page’ printed.")
        }
        return cursor
    }
}
