import Foundation
@_spi(HalcyonTool) import Halcyon
import HalcyonCLI
import Testing

#if ImageCodecs && os(Linux)
    @Suite struct `Pictures in a report` {
        private let tool: Tool
        private static let pictures = [
            "horse-silhouette.png", "flower.jpg", "terminal-examples.gif", "rocket-launch.webp",
        ]

        init() throws {
            tool = try Tool()
            for name in Self.pictures { try put(demoPicture(name), "https://a.example/secret/\(name)") }
            try put(Data("no picture".utf8), "https://a.example/text")
            try put(demoPicture("flower.jpg").prefix(200), "https://a.example/<img src=x>")
        }

        private func put(_ data: Data, _ key: String, _ options: String...) throws {
            let arguments = ["put", "--folder", tool.cache, "--key", key] + options + ["-"]
            #expect(try tool.run(arguments, input: data).status == 0)
        }

        private func page(_ options: String...) throws -> String {
            let result = try tool.run(["report", "--folder", tool.cache, "-o", "-"] + options)
            #expect(result.status == 0 && result.errors.isEmpty)
            return result.output
        }

        private func images(in page: String) -> [Substring] { page.matches(of: /<img [^>]*>/).map(\.output) }

        @Test func `each table shows pictures beside their entries, only on request`() throws {
            let page = try page("--pictures")
            #expect(images(in: page).count == 3 * Self.pictures.count)
            #expect(page.matches(of: /<span class="picture"><\/span>/).count == 3 * 2)
            #expect(page.contains("img-src data:\"") && page.contains("This page shows pictures"))
            let plain = try self.page()
            #expect(images(in: plain).isEmpty && !plain.contains("img-src") && !plain.contains("data:"))
            #expect(!plain.contains("shows pictures"))
        }

        @Test func `pictures reveal no key unless requested, and no key becomes a picture`() throws {
            #expect(try !page("--pictures").contains("secret"))
            let open = try page("--pictures", "--keys")
            #expect(open.contains("secret/flower.jpg") && open.contains("&lt;img src=x&gt;"))
            #expect(images(in: open).count == 3 * Self.pictures.count)
            #expect(images(in: open).allSatisfy { $0.contains("src=\"data:image/") })
        }

        @Test func `a report with pictures does not count as a use`() throws {
            try tool("get", "--count-use", "https://a.example/text")
            func state() throws -> [String] {
                let statistics = try #require(try tool("report", "--json").object()["statistics"] as? [String: Any])
                return try [tool("list", "--json", "--sort", "access").output]
                    + ["hits", "misses", "bytes_read"].map { "\(statistics[$0] ?? "")" }
            }
            let before = try state()
            #expect(try !images(in: page("--pictures")).isEmpty)
            #expect(try state() == before && before[1] == "1")
            #expect(try tool("check").status == 0)
        }

        @Test func `expired entries and entries without a key have pictures`() throws {
            try tool("remove", "--all", "--yes")
            try put(demoPicture("flower.jpg"), "a", "--expires", "1s")
            try put(demoPicture("horse-silhouette.png"), "b")
            try Connection(path: tool.cache + "/.halcyon/index.sqlite")
                .execute("UPDATE entries SET expires_at = 1000 WHERE key = 'a'")
            let page = try page("--pictures", "--no-keys")
            #expect(page.contains(">expired<") && images(in: page).count == 3 * 2)
        }

        @Test func `pictures of missing files are left out`() throws {
            let paths = try tool("path", "https://a.example/secret/flower.jpg").lines
            try FileManager.default.removeItem(atPath: try #require(paths.first))
            #expect(images(in: try page("--pictures")).count == 3 * (Self.pictures.count - 1))
        }

        @Test func `a report with pictures shows progress on a terminal`() throws {
            let terminal = try PseudoTerminal(columns: 80)
            let arguments = ["report", "--folder", tool.cache, "-o", "x.html", "--pictures"]
            #expect(try tool.atTerminal(terminal, arguments, errors: true) == 0)
            let screen = terminal.screen()
            #expect(screen.contains("6 of 6") && screen.contains("of 6  entries searched for pictures"))
        }
    }

    @Suite struct `A thumbnail in a report` {
        @Test(arguments: [
            ("flower.jpg", "jpeg", 48, 32), ("horse-silhouette.png", "png", 48, 40),
            ("terminal-examples.gif", "", 48, 28), ("rocket-launch.webp", "jpeg", 48, 32),
        ])
        func `a thumbnail keeps the shape of the picture`(name: String, type: String, width: Int, height: Int) throws {
            let thumbnail = try #require(Thumbnail(ofPictureIn: try demoPicture(name)))
            #expect(thumbnail.width == width && thumbnail.height == height)
            #expect(thumbnail.url.hasPrefix("data:image/\(type)"))
            let image = try #require(HalcyonImage(data: try bytes(of: thumbnail)))
            #expect(max(image.size.width, image.size.height) == 96)
        }

        @Test(arguments: [(1, 1, 1, 1), (16, 48, 16, 48), (60, 30, 48, 24), (2000, 1, 48, 1)])
        func `a thumbnail is not larger than the picture`(width: Int, height: Int, shownWidth: Int, shownHeight: Int)
            throws
        {
            let pixels = [UInt8](repeating: 200, count: width * height * 4)
            let file = try #require(HalcyonImage(rgba: pixels, width: width, height: height)?.pngData())
            let thumbnail = try #require(Thumbnail(ofPictureIn: file))
            #expect(thumbnail.width == shownWidth && thumbnail.height == shownHeight)
        }

        @Test func `a thumbnail has few bytes for any picture`() throws {
            var generator = SystemRandomNumberGenerator()
            let noise = (0..<96 * 96 * 4).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let file = try #require(HalcyonImage(rgba: noise, width: 96, height: 96)?.pngData())
            let thumbnail = try #require(Thumbnail(ofPictureIn: file))
            #expect(try bytes(of: thumbnail).count <= Thumbnail.byteLimit && thumbnail.width == 48)
            #expect(HalcyonImage(data: try bytes(of: thumbnail))?.size.width == 48)
        }

        @Test func `there is no thumbnail of data that is not a picture`() throws {
            let flower = try demoPicture("flower.jpg")
            for data in [Data(), Data("text".utf8), flower.prefix(100), Data("<svg/>".utf8)] {
                #expect(Thumbnail(ofPictureIn: data) == nil)
            }
        }

        private func bytes(of thumbnail: Thumbnail) throws -> Data {
            let text = try #require(thumbnail.url.split(separator: ",").last)
            return try #require(Data(base64Encoded: String(text)))
        }
    }
#elseif os(Linux)
    @Suite struct `Pictures in a report without codecs` {
        @Test func `without codecs, pictures in a report are refused with the reason`() throws {
            let tool = try Tool()
            try tool("put", "--key", "a", "-", input: .blob(1))
            let result = try tool("report", "--pictures", "-o", "x.html")
            #expect(
                result.isPlainError(containing: "Build with the package trait ImageCodecs, or leave out --pictures."))
            #expect(!tool.exists(tool.folder.url.path + "/x.html"))
        }
    }
#endif
