/// Numbers with their nouns.
enum Count {
    /// `1 entry`, `19 entries`.
    static func entries(_ count: Int) -> String { counted(count, "entry", "entries") }

    /// `1 file`, `19 files`.
    static func files(_ count: Int) -> String { counted(count, "file", "files") }

    private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
