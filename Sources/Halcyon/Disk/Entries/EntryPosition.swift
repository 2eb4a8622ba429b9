/// The place of an entry in an order: the values it is sorted by, and its id among equals.
struct EntryPosition: Hashable, Codable, Sendable {
    var key = ""
    var value: Int64 = 0
    var second: Int64 = 0
    var id: Int64
    /// The bytes of a key that is not text.
    var bytes: [UInt8]?
}
