/// A bar that shows how full a cache is: pinned entries, other entries, the limit, and where an eviction stops.
package struct LimitBar {
    package let id: String
    package let title: String
    package let used: Int64
    package let pinned: Int64
    package let limit: Int64
    package let lowWater: Double
    /// Formats a number of this kind.
    package let text: (Int64) -> String

    package init(
        id: String, title: String, used: Int64, pinned: Int64, limit: Int64, lowWater: Double,
        text: @escaping (Int64) -> String
    ) {
        self.id = id
        self.title = title
        self.used = used
        self.pinned = pinned
        self.limit = limit
        self.lowWater = lowWater
        self.text = text
    }

    /// The value of the whole width: the limit, or the used amount if it is larger.
    package var whole: Int64 { max(1, used, limit) }

    package func share(of value: Int64) -> Double { min(1, max(0, Double(value) / Double(whole))) }

    package var html: HTML {
        """
        <figure class="limit">
        <figcaption><span>\(title)</span> <strong>\(text(used))</strong> of \(text(limit)), \
        \(Figure.percent(used, of: limit))</figcaption>
        <svg role="img" aria-labelledby="\(id)-title \(id)-desc" width="100%" height="26">
        <title id="\(id)-title">\(title)</title>
        <desc id="\(id)-desc">\(description)</desc>
        <rect class="track" y="4" width="100%" height="14"/>
        <rect class="fill" y="4" width="\(SVG.percent(share(of: used)))" height="14"/>
        <rect class="pinned" y="4" width="\(SVG.percent(share(of: pinned)))" height="14"/>
        \(mark(lowWaterMark, "low"))
        \(mark(limit, "full"))
        </svg>
        </figure>
        """
    }

    private var lowWaterMark: Int64 { Int64(Double(limit) * lowWater) }

    private var description: String {
        let percent = Figure.percent(used, of: limit)
        return "\(text(used)) of \(text(limit)), \(percent). \(text(pinned)) are pinned. An eviction leaves "
            + "\(text(lowWaterMark))."
    }

    private func mark(_ value: Int64, _ name: HTML) -> HTML {
        let x = SVG.percent(share(of: value))
        return "<line class=\"\(name)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"22\"/>"
    }
}
