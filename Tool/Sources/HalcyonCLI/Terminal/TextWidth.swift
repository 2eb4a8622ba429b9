/// Fits text into a line of a terminal.
package enum TextWidth {
    /// The columns that a terminal uses for text: two for East Asian characters and emoji, and one for each letter of an Indic character.
    package static func columns(of text: some StringProtocol) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first, scalar.value >= 0x0900 else { return 1 }
        let isWide = wide.contains { $0.contains(scalar.value) } || scalar.properties.isEmojiPresentation
        if isWide || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        // Thai and Indic characters have several letters, and marks beside them.
        return max(1, character.unicodeScalars.count { !isZeroWidth($0) })
    }

    private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
        // The vowels and final consonants of a Korean syllable.
        if (0x1160...0x11FF).contains(scalar.value) { return true }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return true
        default: return false
        }
    }

    /// The ranges of wide characters (Unicode East Asian Width W and F, roughly).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    /// Removes the middle of the text so that it fits: the beginning and end of a URL say the most.
    package static func shortened(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        guard width > 1 else { return String(repeating: "…", count: max(0, width)) }
        let tail = prefix(of: text.reversed(), columns: (width - 1) / 2)
        let head = prefix(of: text, columns: width - 1 - (width - 1) / 2)
        return String(head) + "…" + String(tail.reversed())
    }

    private static func prefix(of characters: some Sequence<Character>, columns limit: Int) -> [Character] {
        var used = 0
        return Array(
            characters.prefix { character in
                used += columns(of: character)
                return used <= limit
            })
    }

    /// Makes control characters visible: a key must not move the cursor or begin a new line.
    package static func printable(_ text: String) -> String {
        // Most keys are ASCII URLs, and reading Unicode properties is slow.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { isControl($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Bidirectional formatting characters. The joiner is part of many emoji.
        case .format: scalar != "\u{200D}"
        default: false
        }
    }
}
