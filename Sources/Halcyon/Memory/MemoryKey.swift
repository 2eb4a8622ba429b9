internal import Foundation

/// A key compared by its UTF-8 bytes.
///
/// Swift strings are equal if they are canonically equivalent: "é" as one character or as "e" with an accent. As keys, and as
/// file names on disk, these are different.
struct MemoryKey: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        var text = text
        // A string bridged from Objective-C may not be UTF-8 yet.
        text.makeContiguousUTF8()
        self.text = text
    }

    static func == (left: MemoryKey, right: MemoryKey) -> Bool {
        left.text.withBytes { left in
            right.text.withBytes { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) { text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) } }
}
