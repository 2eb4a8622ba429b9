/// The area of a panel's curves, in the chart's coordinates.
struct PlotFrame {
    let left, top, width, height: Double
    var bottom: Double { top + height }
    var right: Double { left + width }
}

/// One panel: its axes with their labels, and its curves.
struct PlotDrawing {
    private let panel: CurvePanel
    private let frame: PlotFrame
    private let across: LogScale?
    private let up: LogScale?

    init(panel: CurvePanel, frame: PlotFrame) {
        self.panel = panel
        self.frame = frame
        across = LogScale(panel.points.map(\.entries))
        up = LogScale(panel.points.map(\.value))
    }

    var svg: String {
        guard let across, let up else { return "" }
        let axes = up.ticks.map { timeTick($0, up) } + across.ticks.map { countTick($0, across) }
        let curves = panel.curves.map { draw($0, across, up) }
        return ([name] + axes + axisNames + curves).joined(separator: "\n")
    }

    private var name: String {
        "<text class=\"name\" x=\"\(number(frame.left))\" y=\"\(number(frame.top - 10))\">\(escaped(panel.title))</text>"
    }

    private var axisNames: [String] {
        let middle = number(frame.left + frame.width / 2)
        let (x, y) = (number(frame.left - 50), number(frame.top + frame.height / 2))
        return [
            "<text class=\"axis middle\" x=\"\(middle)\" y=\"\(number(frame.bottom + 34))\">entries</text>",
            "<text class=\"axis middle\" x=\"\(x)\" y=\"\(y)\" transform=\"rotate(-90 \(x) \(y))\">median time</text>",
        ]
    }

    private func timeTick(_ value: Double, _ scale: LogScale) -> String {
        let y = y(value, scale)
        return """
            <line class="grid" x1="\(number(frame.left))" x2="\(number(frame.right))" y1="\(number(y))" y2="\(number(y))"/>\
            <text class="tick left" x="\(number(frame.left - 6))" y="\(number(y + 4))">\(timeName(value))</text>
            """
    }

    private func countTick(_ value: Double, _ scale: LogScale) -> String {
        let x = number(x(value, scale))
        return """
            <line class="grid" x1="\(x)" x2="\(x)" y1="\(number(frame.top))" y2="\(number(frame.bottom))"/>\
            <text class="tick middle" x="\(x)" y="\(number(frame.bottom + 16))">\(FigureText.count(Int(value)))</text>
            """
    }

    /// A tick is a power of ten; fractions of a microsecond are shown in nanoseconds.
    private func timeName(_ microseconds: Double) -> String {
        microseconds < 0.99
            ? "\(Int((microseconds * 1_000).rounded())) ns" : FigureText.text(microseconds.rounded(), .microseconds)
    }

    private func draw(_ curve: Curve, _ across: LogScale, _ up: LogScale) -> String {
        let places = curve.points.map { (x: number(x($0.entries, across)), y: number(y($0.value, up))) }
        let path = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
        let name = curve.contestant.rawValue
        let dots = zip(places, curve.points).map { place, point in
            let figure = FigureText.text(point.value, .microseconds)
            let text = "\(curve.contestant.title), \(curve.volume.rawValue): \(figure)"
            return
                "<circle class=\"\(name)\" cx=\"\(place.x)\" cy=\"\(place.y)\" r=\"2.5\"><title>\(text)</title></circle>"
        }
        return "<polyline class=\"curve \(name) \(curve.volume.rawValue)\" points=\"\(path)\"/>" + dots.joined()
    }

    private func x(_ value: Double, _ scale: LogScale) -> Double { frame.left + frame.width * scale.share(of: value) }

    private func y(_ value: Double, _ scale: LogScale) -> Double {
        frame.bottom - frame.height * scale.share(of: value)
    }
}
