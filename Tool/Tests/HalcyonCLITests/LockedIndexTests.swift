import Foundation
import Testing

/// The commands while another process holds the write lock of the index and does not release it.
@Suite struct `A locked index` {
    private let tool: Tool
    private let writer: Connection

    init() throws {
        tool = try Tool()
        try tool.write("a.png", .blob(1))
        try tool("put", "a.png")
        try tool("get", "--count-use", "a.png")
        // Finishes the takeover of the new folder, which the processes before may have been too short for. Queries need that.
        try tool("check")
        writer = try Connection(path: tool.cache + "/.halcyon/index.sqlite")
        try writer.begin()
    }

    @Test(arguments: [
        ["get", "a.png"], ["get", "--count-use", "a.png"], ["path", "a.png"], ["list"], ["list", "--json"], ["stats"],
        ["stats", "--json"], ["info", "a.png"], ["tag", "a.png"], ["note", "a.png"],
    ])
    func `commands that read do not wait for it`(words: [String]) throws {
        let result = try tool.run([words[0], "--folder", tool.cache] + words.dropFirst())
        #expect(result.status == 0 && result.errors.isEmpty && !result.data.isEmpty, "\(result.errors)")
        if words[0] == "get" { #expect(result.data == .blob(1)) }
    }

    @Test(arguments: [["put", "--key", "b", "a.png"], ["remove", "a.png"], ["check", "--repair"]])
    func `commands that change the cache fail after a while, and lose nothing`(words: [String]) throws {
        let result = try tool.run([words[0], "--folder", tool.cache] + words.dropFirst())
        #expect(result.status != 0 && result.errors.contains("process"), "\(result.output)\(result.errors)")
        try writer.rollBack()
        #expect(try tool("get", "a.png").data == .blob(1))
        #expect(try tool("get", "b").status == 1)
        #expect(try tool("check").status == 0)
    }
}
