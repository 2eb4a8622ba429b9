/// The form of a hashed file name in the index, half as long.
enum PackedName {
    private static let digits = 64

    /// Packs 64 leading lower-case hexadecimal digits into 32 bytes, and appends the rest (`.png`); returns nil for any other name.
    static func pack(_ name: String) -> [UInt8]? {
        var name = name
        return name.withUTF8 { text in
            guard text.count >= digits, let hash = packed(text) else { return nil }
            return hash + text[digits...]
        }
    }

    private static func packed(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var isHash = true
        let bytes = [UInt8](unsafeUninitializedCapacity: digits / 2) { buffer, count in
            for index in 0..<digits / 2 {
                guard let high = value(of: text[2 * index]), let low = value(of: text[2 * index + 1]) else {
                    isHash = false
                    return
                }
                buffer[index] = high << 4 | low
                count = index + 1
            }
        }
        return isHash ? bytes : nil
    }

    static func unpack(_ bytes: UnsafeRawBufferPointer) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + digits / 2)
        for byte in bytes.prefix(digits / 2) {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 0xF))
        }
        text.append(contentsOf: bytes.dropFirst(digits / 2))
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
