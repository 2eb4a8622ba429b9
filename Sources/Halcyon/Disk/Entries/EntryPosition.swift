/// The place of an entry in an order: what it is sorted by, and its id among equals.
struct EntryPosition: Hashable, Codable, Sendable {
    var key = ""
    var value: Int64 = 0
    var second: Int64 = 0
    var id: Int64
    /// Of a key that is no text.
    var bytes: [UInt8]?
}
