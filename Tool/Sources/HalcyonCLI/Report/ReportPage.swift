@_spi(HalcyonTool) internal import Halcyon

/// The report as one self-contained page: no scripts, fonts or images from elsewhere.
package struct ReportPage {
    let figures: ReportFigures

    package init(_ figures: ReportFigures) { self.figures = figures }

    /// The content security policy is a second line of defense: even if some text were not escaped, a browser would run and fetch
    /// nothing.
    package var html: HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <meta name="color-scheme" content="light dark">
        <title>Cache report: \(figures.name)</title>
        <style>
        \(ReportStyle.css)
        </style>
        </head>
        <body>
        \(header)
        <main>
        \(tiles)
        \(limits)
        \(figures.isEmpty ? emptiness : charts)
        \(figures.isEmpty ? [activity] : tables)
        </main>
        \(footer)
        </body>
        </html>

        """
    }

    /// A `data:` URL is part of the page: pictures fetch nothing either.
    private var policy: HTML {
        "default-src 'none'; style-src 'unsafe-inline'\(figures.showsPictures ? "; img-src data:" : "")"
    }

    private var header: HTML {
        """
        <header>
        <p class="soft">Cache report</p>
        <h1><bdi>\(figures.name)</bdi></h1>
        <p class="soft">\(DateText.local(figures.madeAt)), \(ReportSteps.zone(at: figures.madeAt))</p>
        </header>
        """
    }

    private var emptiness: [HTML] { ["<p class=\"wide\">The cache is empty.</p>"] }

    private var footer: HTML {
        """
        <footer>
        <p>\(privacy)</p>
        \(figures.showsPictures ? Self.pictureNote : "")
        <p>Sizes are in decimal units: 1 MB is a million bytes. What running processes have read and counted in the last ten \
        seconds may be missing.</p>
        <p>Made by halcyon \(halcyonVersion).</p>
        </footer>
        """
    }

    private static let pictureNote: HTML = """
        <p><strong>This page shows pictures</strong>, which may be private: they show which images were viewed. An entry without \
        one is not an image, or cannot be decoded.</p>
        """

    private var privacy: HTML {
        figures.showsKeys
            ? """
            <strong>This page shows whole keys</strong>, which may be private: they show which images were requested, and \
            URLs may contain tokens.
            """
            : """
            Keys are private: entries are shown by their host or file name and the first digits of a hash. The option \
            <code>--keys</code> shows whole keys.
            """
    }
}
