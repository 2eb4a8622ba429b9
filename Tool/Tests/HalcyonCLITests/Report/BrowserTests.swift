import Foundation
import HalcyonCLI
import Testing

/// Opens the page in a browser. `Scripts/test` installs one and names it; then these tests always run.
@Suite(.enabled(if: Browser.path != nil)) struct `A report in a browser` {
    /// All elements of a page.
    private static let elements: Set<String> = [
        "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "div", "p", "h1", "h2",
        "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "details", "summary",
        "span", "bdi", "strong", "em", "code", "time", "svg", "desc", "rect", "line", "text",
    ]
    private static let attributes: Set<String> = [
        "lang", "dir", "charset", "http-equiv", "content", "name", "class", "scope", "datetime", "title", "id", "role",
        "aria-hidden", "aria-labelledby", "x", "y", "x1", "x2", "y1", "y2", "width", "height",
    ]

    private func expectPlain(
        _ document: Browser.Document, elements: Set<String> = elements, attributes: Set<String> = attributes
    ) {
        #expect(document.console.isEmpty && !document.requests.contains("evil.example"))
        #expect(
            Set(document.elements).isSubset(of: elements), "\(Set(document.elements).subtracting(elements))")
        #expect(
            document.attributes.isSubset(of: attributes), "\(document.attributes.subtracting(attributes))")
        #expect(document.text.contains("<html lang=\"en\">") && document.text.contains("name=\"viewport\""))
    }

    @Test func `a report has its charts, and tables after them`() throws {
        let document = try Browser().open(ReportPage(InventedFigures.million).html.text)
        expectPlain(document)
        // Two limits, three charts, a bar for each of 13 hosts and 2 processors.
        #expect(document.count("svg") == 2 + 3 + 15 && document.count("desc") == 5)
        #expect(document.count("table") == 2 + 3 + 1 + 3)
        #expect(
            document.text.contains("1\u{202F}000\u{202F}000") && document.text.contains("12\u{202F}345 other hosts"))
        #expect(!document.text.contains("secret"))
    }

    @Test func `a report of an empty cache has no charts, and one of a single entry has all`() throws {
        let empty = try Browser().open(ReportPage(InventedFigures.empty).html.text)
        expectPlain(empty)
        #expect(empty.count("svg") == 0 && empty.text.contains("The cache is empty"))
        let one = try Browser().open(ReportPage(InventedFigures.one).html.text)
        expectPlain(one)
        #expect(one.count("desc") == 3)
    }

    @Test func `a report can show absurd numbers`() throws {
        expectPlain(try Browser().open(ReportPage(InventedFigures.absurd).html.text))
    }

    @Test func `a report runs no markup from keys, hosts, processors or names`() throws {
        let page = ReportPage(InventedFigures.hostile).html.text
        let document = try Browser().open(page)
        expectPlain(document)
        let (count, rows) = (InventedFigures.hostileTexts.count, document.count("tr"))
        #expect(rows == (1 + count) * 4 + (1 + 8) + (1 + 7) + (1 + 10) + (1 + 6))
        #expect(document.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(document.text.contains("\\u{202E}txt.exe\\u{2066}") && document.text.contains("line\\nbreak"))
    }

    #if ImageCodecs && os(Linux)
        @Test func `a report shows its pictures, and no others`() throws {
            let thumbnail = try #require(Thumbnail(ofPictureIn: try demoPicture("flower.jpg")))
            let page = ReportPage(InventedFigures.hostile(with: thumbnail)).html.text
            let document = try Browser().open(page)
            expectPlain(
                document, elements: Self.elements.union(["img"]), attributes: Self.attributes.union(["src", "alt"]))
            #expect(document.count("img") == InventedFigures.hostileTexts.count)
            let request = "<img src=\"https://evil.example/x.png\">"
            let other = try Browser().open(page.replacing("</main>", with: "\(request)</main>"))
            #expect(other.console.contains { $0.contains("Content Security Policy") })
            #expect(other.requests.contains("evil.example") == false)
        }
    #endif

    @Test func `a report requests nothing, even without its security policy`() throws {
        let page = ReportPage(InventedFigures.hostile).html.text
        let policy = #/<meta http-equiv="Content-Security-Policy"[^>]*>/#
        #expect(page.firstMatch(of: policy) != nil)
        expectPlain(try Browser().open(page.replacing(policy, with: "")))
    }

    @Test func `the test would notice a request or a script`() throws {
        let page = ReportPage(InventedFigures.one).html.text
        let request = "<img src=\"https://evil.example/x.png\">"
        let script = "<script>alert(1)</script>"
        for bad in [request, script] {
            let document = try Browser().open(page.replacing("</main>", with: "\(bad)</main>"))
            #expect(document.console.contains { $0.contains("Content Security Policy") })
            #expect(!Set(document.elements).isSubset(of: Self.elements))
        }
        let policy = #/<meta http-equiv="Content-Security-Policy"[^>]*>/#
        let open = try Browser().open(page.replacing("</main>", with: "\(request)</main>").replacing(policy, with: ""))
        #expect(open.requests.contains("evil.example"))
    }
}
