/// The form of a hashed file name in the index, half as long.
enum PackedName {
    private static let digits = 64

    /// Packs 64 leading lower-case hexadecimal digits into 32 bytes, and appends the rest (`.png`); returns nil for any other name.
    static func pack(_ name: String) -> [UInt8]? {
        name.withBytes { text in
            guard text.count >= digits, let hash = packed(text) else { return nil }
            return hash + text[digits...]
        }
    }

    private static func packed(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        // Without a branch for each digit: every lookup does this.
        var others: UInt8 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: digits / 2) { buffer, count in
            for index in 0..<digits / 2 {
                let (high, low) = (text[2 * index], text[2 * index + 1])
                others |= isOther(high) | isOther(low)
                buffer[index] = value(of: high) << 4 | value(of: low)
            }
            count = digits / 2
        }
        return others == 0 ? bytes : nil
    }

    static func unpack(_ bytes: UnsafeRawBufferPointer) -> String {
        let packed = min(bytes.count, digits / 2)
        return String(unsafeUninitializedCapacity: bytes.count + packed) { text in
            for index in 0..<packed {
                text[2 * index] = digit(bytes[index] >> 4)
                text[2 * index + 1] = digit(bytes[index] & 0xF)
            }
            for index in packed..<bytes.count { text[packed + index] = bytes[index] }
            return bytes.count + packed
        }
    }

    /// Whether these are the packed bytes of a name.
    static func isPacked(_ bytes: UnsafeRawBufferPointer, of name: String) -> Bool {
        name.withBytes { text in
            guard bytes.count >= digits / 2, text.count == bytes.count + digits / 2 else { return false }
            var difference: UInt8 = 0
            for index in 0..<digits / 2 {
                difference |= digit(bytes[index] >> 4) ^ text[2 * index]
                difference |= digit(bytes[index] & 0xF) ^ text[2 * index + 1]
            }
            return difference == 0 && text[digits...].elementsEqual(bytes[(digits / 2)...])
        }
    }

    /// 1 unless the character is a lower-case hexadecimal digit.
    private static func isOther(_ character: UInt8) -> UInt8 {
        (character &- UInt8(ascii: "0") >= 10 ? 1 : 0) & (character &- UInt8(ascii: "a") >= 6 ? 1 : 0)
    }

    /// Of a digit. Letters have bit 6 set, and their low bits count from 1.
    private static func value(of digit: UInt8) -> UInt8 { (digit & 0xF) + 9 * (digit >> 6) }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
