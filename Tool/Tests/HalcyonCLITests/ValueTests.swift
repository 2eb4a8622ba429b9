@_spi(HalcyonTool) import Halcyon
import HalcyonCLI
import Testing

@Suite struct `Sizes as people write them` {
    @Test(arguments: [
        ("0", 0), ("1234", 1234), ("12B", 12), ("500k", 500_000), ("500 kB", 500_000), ("50MB", 50_000_000),
        ("50mb", 50_000_000), ("1.5 GiB", 1_610_612_736), ("1KiB", 1024), ("2Ti", 2_199_023_255_552),
        ("0.1MB", 100_000), ("9223372036854775807", Int64.max),
    ])
    func `are read`(text: String, bytes: Int64) { #expect(ByteSize(text)?.bytes == bytes) }

    @Test(arguments: [
        "", " ", "MB", "-5", "+5", "1e3", "0x10", "1,5MB", "1.MB", ".5MB", "1.2.3", "5 XB", "5MBs", "5ii", "inf", "nan",
        "9223372036854775808", "9999999999 PB", "５MB",
    ])
    func `are refused when they are nonsense`(text: String) { #expect(ByteSize(text) == nil) }

    @Test(arguments: [
        (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
        (999_949, "999.9 kB"), (999_950, "1.0 MB"), (1_049_999, "1.0 MB"), (4_444_753, "4.4 MB"),
        (50_000_000, "50.0 MB"),
        (Int64.max, "9.2 EB"),
    ])
    func `sizes are printed with one decimal`(bytes: Int64, text: String) {
        #expect(ByteSize(bytes).description == text)
    }
}

@Suite struct `Times to live as people write them` {
    @Test(arguments: [
        ("90s", 90.0), ("30m", 1800), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600), ("1.5h", 5400),
        ("7 D", 604_800),
    ])
    func `are read`(text: String, seconds: Double) throws {
        guard case .seconds(let found) = try #require(Expiry.expiration(text)) else {
            Issue.record("not a number of seconds")
            return
        }
        #expect(found == seconds)
    }

    @Test(arguments: ["never", "NEVER"])
    func `a time to live can be never`(text: String) throws {
        guard case .never = try #require(Expiry.expiration(text)) else {
            Issue.record("not never")
            return
        }
    }

    @Test(arguments: ["", "7", "d", "0d", "-1d", "7y", "7d12h", "forever", "1e9s"])
    func `are refused when they are nonsense`(text: String) { #expect(Expiry.expiration(text) == nil) }
}

@Suite struct `Dates` {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_795_246_212_007, "2026-11-21T07:30:12.007Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func `dates for programs are ISO 8601 in UTC`(milliseconds: Int64, text: String) {
        #expect(DateText.iso8601(Timestamp(milliseconds: milliseconds)) == text)
    }
}

@Suite struct `JSON text` {
    @Test func `JSON keeps the order of members and escapes strings`() {
        let value = JSON.object(["b": .string("a\"\\\n\u{1}é"), "a": .array([.integer(1), .bool(true), .null])])
        #expect(value.compact == #"{"b": "a\"\\\n\u0001é", "a": [1, true, null]}"#)
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (0.5, "0.5"), (-0.25, "-0.25"), (1.0006, "1.001"), (12.34, "12.34"), (0.0001, "0"),
        (1e300, "null"),
        (Double.infinity, "null"), (.nan, "null"), (0.005, "0.005"), (-3, "-3"),
    ])
    func `JSON decimals have at most three digits`(number: Double, text: String) {
        #expect(JSON.decimal(number).compact == text)
    }

    @Test func `JSON can be indented`() {
        let value = JSON.object(["a": .array([.integer(1)]), "b": .array([]), "c": .object([:])])
        #expect(value.indented() == "{\n  \"a\": [\n    1\n  ],\n  \"b\": [],\n  \"c\": {}\n}")
    }
}

@Suite struct `Text in a terminal` {
    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "ab…ef"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("", 3, ""),
    ])
    func `text that is too long loses its middle`(text: String, width: Int, shortened: String) {
        #expect(TextWidth.shortened(text, to: width) == shortened)
    }

    @Test(arguments: [
        ("日本", 4), ("é", 1), ("👩‍👧", 2), ("👍", 2), ("ascii", 5), ("ทำน้ำ", 4), ("हिन्दी", 5), ("한국", 4),
    ])
    func `characters count as the columns that they take up`(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
    }

    @Test func `shortened text fits its width, whatever its characters`() {
        for width in 0...12 {
            let text = TextWidth.shortened("日本語 and 👍 text", to: width)
            #expect(TextWidth.columns(of: text) <= width)
        }
    }

    @Test func `control characters are shown as escapes`() {
        #expect(TextWidth.printable("a\u{1B}[2Jb\nc\u{202E}d") == #"a\u{1B}[2Jb\nc\u{202E}d"#)
    }

    @Test(arguments: 0...120)
    func `the progress bar fills the line exactly`(width: Int) {
        for total in [0, 1, 19, 1_000_000] {
            let line = ProgressBar.line(done: total / 2, total: total, label: "日本語.png", width: width)
            #expect(TextWidth.columns(of: line) == width)
        }
    }

    @Test func `the progress bar shows the progress`() {
        let line = ProgressBar.line(done: 5, total: 10, label: "a.png", width: 60)
        #expect(line.contains("50 %") && line.contains("5 of 10") && line.contains("a.png") && line.contains("#-"))
        #expect(ProgressBar.line(done: 5, total: nil, label: "removed", width: 20).hasPrefix("5 removed "))
    }
}

@Suite struct `Ages as people write them` {
    @Test(arguments: [("90s", 90.0), ("30m", 1800), ("12 h", 43_200), ("7d", 604_800), ("1.5W", 907_200)])
    func `are read`(text: String, seconds: Double) { #expect(Age(text)?.seconds == seconds) }

    @Test(arguments: ["", "7", "d", "0d", "-1d", "7y", "7d12h", "never", "1e9s", "٧d", "1M"])
    func `are refused when they are nonsense`(text: String) { #expect(Age(text) == nil) }
}

@Suite struct `Reads in a column` {
    @Test(arguments: [
        (0, "    0"), (99_999, "99999"), (100_000, " 100k"), (12_345_678, "  12M"), (123_456_789, " 123M"),
        (Int.max, "9223P"),
    ])
    func `numbers of reads fit their column`(hits: Int, text: String) { #expect(HitCount.text(hits, width: 5) == text) }
}
