internal import Foundation
@_spi(HalcyonTool) package import Halcyon

/// Formats numbers for the report.
package enum Figure {
    /// `1 234 567`, with narrow no-break spaces.
    package static func count(_ number: Int64) -> String {
        var digits = Array(String(number.magnitude))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert("\u{202F}", at: place) }
        return (number < 0 ? "−" : "") + String(digits)
    }

    /// `1 entry`, `1 234 entries`.
    package static func entries(_ number: Int64) -> String {
        "\(count(number))\u{A0}\(number == 1 ? "entry" : "entries")"
    }

    /// `4.4 MB`, with a no-break space.
    package static func bytes(_ number: Int64) -> String {
        ByteSize(number).description.replacingOccurrences(of: " ", with: "\u{A0}")
    }

    /// `12 entries, 4.4 MB`.
    package static func totals(_ totals: Totals) -> String { "\(entries(totals.entries)), \(bytes(totals.bytes))" }

    /// For the axis of a chart: `20k`, `1.5M`.
    package static func shortCount(_ number: Int64) -> String {
        guard number >= 10_000 else { return count(number) }
        // Shortened like a size, without the B.
        return String(
            shortBytes(number).uppercased().compactMap { $0 == "B" || $0 == "\u{A0}" ? nil : $0 == "K" ? "k" : $0 })
    }

    /// Like ``bytes(_:)``, without a trailing `.0`: `500 kB`.
    package static func shortBytes(_ number: Int64) -> String {
        bytes(number).replacingOccurrences(of: ".0\u{A0}", with: "\u{A0}")
    }

    /// A percentage: `61 %`, `< 1 %`. Only zero is 0 % and only the whole is 100 %.
    package static func percent(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0, part > 0 else { return "0\u{A0}%" }
        let percent = Double(part) / Double(whole) * 100
        if percent < 1 { return "<\u{A0}1\u{A0}%" }
        if part < whole, percent > 99 { return ">\u{A0}99\u{A0}%" }
        return "\(Int(min(percent.rounded(), 1_000_000)))\u{A0}%"
    }

    /// A percentage with one decimal, because hit rates differ by little: `93.4 %`.
    package static func rate(_ share: Double) -> String {
        let tenths = Int((min(1, max(0, share)) * 1000).rounded(.down))
        return "\(tenths / 10).\(tenths % 10)\u{A0}%"
    }

    /// A time span in its largest unit: `5 s`, `3 h`, `12 d`.
    package static func span(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        return switch seconds {
        case ..<120: "\(seconds)\u{A0}s"
        case ..<7200: "\(seconds / 60)\u{A0}min"
        case ..<172_800: "\(seconds / 3600)\u{A0}h"
        default: "\(count(seconds / 86_400))\u{A0}d"
        }
    }
}
