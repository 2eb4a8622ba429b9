import Foundation
import HalcyonCLI
import Testing

@Suite struct `Showing and converting pictures` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    private func put(_ name: String) throws {
        let picture = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Demo/Pictures/\(name)")
        try tool("put", "--key", name, picture.standardizedFileURL.path)
    }

    @Test(arguments: [
        ("horse-silhouette.png", "png", 400, 328, 1, 524_800), ("flower.jpg", "jpeg", 640, 427, 1, 1_093_120),
        ("terminal-examples.gif", "gif", 800, 460, 21, 3_972_608),
        ("rocket-launch.webp", "webp", 640, 427, 1, 1_093_120),
    ])
    func `show prints format, pixels, frames and cost`(
        name: String, format: String, width: Int, height: Int, frames: Int, cost: Int
    ) throws {
        try put(name)
        let shown = try tool("show", "--json", name).object()
        #expect(shown["key"] as? String == name && shown["format"] as? String == format)
        #expect(shown["width"] as? Int == width && shown["height"] as? Int == height)
        #expect(shown["frames"] as? Int == frames)
        #if ImageCodecs && os(Linux)
            #expect(shown["cost"] as? Int == cost)
            #expect(
                try tool("show", name).lines.contains { $0.hasPrefix("Pixels") && $0.hasSuffix("\(width) × \(height)") }
            )
        #endif
    }

    @Test func `show prints the key that you give if the index does not know it`() throws {
        try put("horse-silhouette.png")
        _ = try tool("stats", "--no-keys")
        let shown = try tool("show", "--json", "--no-keys", "horse-silhouette.png").object()
        #expect(shown["key"] as? String == "horse-silhouette.png")
    }

    @Test func `show draws nothing into a pipe without --draw`() throws {
        try put("horse-silhouette.png")
        #expect(try !tool("show", "horse-silhouette.png").output.contains("\u{1B}"))
        #if ImageCodecs && os(Linux)
            #expect(try tool("show", "--draw", "horse-silhouette.png").output.contains("\u{1B}[38;2;"))
        #endif
        #expect(try tool("show", "--draw", "--json", "x").status == 64)
    }

    @Test func `a drawing has one line for two rows of pixels, with transparent ones on gray`() {
        let pixels: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 0, 1, 2, 3, 255, 9, 9, 9, 255, 7, 7, 7, 255, 8, 8, 8, 255]
        let text = TerminalPicture.text(of: pixels, width: 2, height: 3)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0] == "\u{1B}[38;2;255;0;0;48;2;1;2;3m▀\u{1B}[38;2;153;153;153;48;2;9;9;9m▀\u{1B}[0m")
        #expect(lines[1] == "\u{1B}[38;2;7;7;7;48;2;0;0;0m▀\u{1B}[38;2;8;8;8;48;2;0;0;0m▀\u{1B}[0m")
    }

    #if ImageCodecs && os(Linux)
        @Test func `get --as writes a picture in another format`() throws {
            try put("flower.jpg")
            let png = try tool("get", "--as", "png", "flower.jpg")
            #expect(png.status == 0 && png.data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            let small = try tool("get", "--as", "JPG", "--quality", "0.2", "flower.jpg").data
            let large = try tool("get", "--as", "jpeg", "flower.jpg").data
            #expect(
                small.starts(with: [0xFF, 0xD8]) && large.starts(with: [0xFF, 0xD8]) && small.count < large.count / 2)
            #expect(try tool("get", "--as", "gif", "flower.jpg").data.starts(with: Data("GIF89a".utf8)))
            let webp = try tool("get", "--as", "webp", "--quality", "0.5", "flower.jpg").data
            #expect(webp.starts(with: Data("RIFF".utf8)) && webp.dropFirst(8).starts(with: Data("WEBP".utf8)))
            try tool("put", "--key", "w", "-", input: webp)
            #expect(try tool("show", "--json", "w").object()["format"] as? String == "webp")
            #expect(try tool("get", "--as", "png", "--quality", "0.5", "w").status == 64)
        }

        @Test func `show says why data is not a picture, and leaves it alone`() throws {
            try tool("put", "--key", "text", "-", input: Data("no picture at all".utf8))
            for command in [["show"], ["get", "--as", "png"]] {
                let result = try tool.run([command[0], "--folder", tool.cache] + command.dropFirst() + ["text"])
                #expect(result.isPlainError(containing: "neither PNG nor JPEG nor GIF nor WebP"))
            }
            #expect(try tool("get", "text").output == "no picture at all")
        }
    #endif

    @Test func `show and get report a miss as a plain error`() throws {
        try put("horse-silhouette.png")
        #expect(try tool("show", "nothing").isPlainError(containing: "Nothing valid is cached under “nothing”"))
        #expect(try tool("get", "--as", "png", "nothing").isPlainError(containing: "Nothing valid"))
    }

    @Test(arguments: [
        ["--as", "bmp"], ["--quality", "0.5"], ["--as", "png", "--quality", "0.5"], ["--as", "jpeg", "--quality", "2"],
        ["--as", "jpeg", "--quality", "nan"],
    ])
    func `invalid options are refused before anything is read`(arguments: [String]) throws {
        #expect(try tool.run(["get", "--folder", tool.cache] + arguments + ["key"]).status == 64)
    }
}
