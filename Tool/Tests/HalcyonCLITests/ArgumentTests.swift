import Foundation
@_spi(HalcyonTool) import Halcyon
import Testing

@Suite struct `Arguments` {
    private static let commands = [
        "put", "get", "list", "stats", "remove", "clean", "check", "path", "info", "pin", "unpin", "tag", "note",
        "report",
        "watch",
    ]
    private let tool: Tool
    init() throws { tool = try Tool() }

    @Test(arguments: commands)
    func `the help of each command has an example`(command: String) throws {
        let help = try tool.run([command, "--help"])
        #expect(help.status == 0 && help.errors.isEmpty)
        #expect(help.output.contains("EXAMPLES\n") && help.output.contains("halcyon \(command)"))
    }

    @Test(arguments: ["-1", "0", "1", "26"], ["--help", "put --help", "nonsense", "put --nonsense"])
    func `help fits in any number of columns`(columns: String, arguments: String) throws {
        let result = try tool.shell("COLUMNS=\(columns) halcyon \(arguments)")
        #expect(result.status == (arguments.hasSuffix("help") ? 0 : 64), "\(result.errors)")
        #expect(!arguments.hasPrefix("put --help") || result.output.contains("expires"))
    }

    @Test(arguments: commands + ["show", "upgrade"])
    func `the examples in the help fit 80 columns`(command: String) throws {
        let help = try tool.run([command, "--help"]).output.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(help.firstIndex(of: "EXAMPLES"))
        let examples = help[start...].dropFirst().prefix { !$0.isEmpty }
        #expect(!examples.isEmpty)
        for line in examples { #expect(line.count <= 80 && line.contains("halcyon"), "\(line)") }
    }

    /// The parser would take the h for -h.
    @Test(arguments: ["put -photo.jpg", "remove -fresh", "get -yh", "list -lah", "get a -ohat.html"])
    func `a key or a file that begins with a dash and has an h prints no help`(arguments: String) throws {
        let result = try tool.run(arguments.split(separator: " ").map(String.init))
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("write --."))
    }

    @Test func `after two dashes, keys and files may begin with a dash`() throws {
        try Data("a".utf8).write(to: tool.folder.url.appendingPathComponent("-h.txt"))
        let stored = try tool.shell("halcyon put --folder c -- -h.txt >&2 && halcyon get --folder c -- -h.txt")
        #expect(stored.output == "a", "\(stored.errors)")
    }

    @Test func `the option --version prints the version`() throws {
        let version = try tool.run(["--version"])
        #expect(version.status == 0 && version.output == halcyonVersion + "\n")
    }

    @Test(arguments: [
        ("lst", "There is no command ‘lst’. Did you mean ‘list’? ‘halcyon help’ lists the commands."),
        ("LIST", "Did you mean ‘list’?"), ("cleanup", "Did you mean ‘clean’?"), ("unpinn", "Did you mean ‘unpin’?"),
        ("xyzzy", "There is no command ‘xyzzy’. ‘halcyon help’ lists the commands."),
    ])
    func `for an unknown command the tool suggests the nearest one`(name: String, text: String) throws {
        let result = try tool.run([name, "--folder", "a"])
        #expect(result.status == 64 && result.errors.contains(text))
        let help = try tool.run(["help", name])
        #expect(help.status == 64 && help.errors.contains(text))
    }

    @Test func `an option with nothing after its equals sign does not take the next argument as its value`() throws {
        for arguments in [["note", "--etag=", "k", "k"], ["put", "--tag=", "a", "b"]] {
            let result = try tool.run(arguments + ["--folder", tool.cache])
            #expect(result.status == 64 && result.errors.contains("\(arguments[1].dropLast()) ''"))
        }
        #expect(try tool("put", "--key", "a=", "-", input: .blob(1)).status == 0)
        #expect(try tool("get", "--", "a=").data == .blob(1))
    }

    @Test(arguments: [
        ["nonsense"], ["get"], ["get", "a", "b"], ["put"], ["put", "-"], ["put", "a", "-", "--key", "k"],
        ["put", "--key", "k", "a", "b"], ["put", "--expires", "soon", "a"], ["put", "--extension", "a/b", "a"],
        ["put", "--extension", "", "a"], ["put", ""], ["list", "--sort", "name"], ["list", "--limit", "0"],
        ["list", "--limit", "x"], ["remove"], ["remove", "--all", "k"], ["clean", "--limit", "much"],
        ["clean", "--limit", "0"], ["clean", "--limit", "-5MB"],
        ["clean", "--count-limit", "0"], ["clean", "--count-limit", "-1"], ["clean", "--keep-free", "0"],
        ["clean", "--low-water", "0.5"], ["clean", "--limit", "1MB", "--low-water", "1.5"],
        ["clean", "--limit", "1MB", "--low-water", "nan"], ["stats", "--folder", "a", "--name", "b"],
        ["stats", "--folder", ""], ["stats", "--name", ""], ["stats", "--name", "../x"], ["check", "--fix"],
        ["remove", "--unused", "1M"],
    ])
    func `invalid arguments are refused with the reason and status 64`(arguments: [String]) throws {
        let result = try tool.run(arguments)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("Error: ") && result.errors.contains("--help"))
    }

    @Test(arguments: [
        ["get", "k"], ["list"], ["list", "--json"], ["stats"], ["remove", "k"], ["remove", "--all", "--yes"], ["clean"],
        ["check"], ["check", "--repair"], ["path", "k"], ["info", "k"], ["pin", "k"], ["unpin", "k"], ["tag", "k"],
        ["note", "k"],
        ["list", "--tag", "x"], ["remove", "--tag", "x", "--yes"],
    ])
    func `a folder that is not a cache is an error, and no cache is created`(arguments: [String]) throws {
        let missing = try tool.run([arguments[0], "--folder", tool.cache] + arguments.dropFirst())
        #expect(missing.isPlainError(containing: "There is no cache at \(tool.cache)."))
        #expect(!tool.exists(tool.cache))

        try FileManager.default.createDirectory(atPath: tool.cache, withIntermediateDirectories: false)
        let empty = try tool.run([arguments[0], "--folder", tool.cache] + arguments.dropFirst())
        #expect(empty.isPlainError(containing: "is not a cache"))

        try tool.write("cache/letter.txt", .blob(1))
        // As some sites name their pictures.
        try tool.write("cache/d41d8cd98f00b204e9800998ecf8427e.jpg", .blob(1))
        let foreignFiles = try tool.run([arguments[0], "--folder", tool.cache] + arguments.dropFirst())
        #expect(foreignFiles.isPlainError(containing: "is not a cache"))
        #expect(!tool.exists(tool.cache + "/.halcyon"))
    }

    @Test(arguments: [["get", "k"], ["list"], ["put", "cache"], ["stats"], ["clean"], ["check"]])
    func `a file in place of a folder is an error`(arguments: [String]) throws {
        try tool.write("cache", .blob(1))
        let result = try tool.run([arguments[0], "--folder", tool.cache] + arguments.dropFirst())
        #expect(result.isPlainError(containing: "\(tool.cache) is a file."))
    }

    @Test func `a folder below a file is an error with the reason`() throws {
        try tool.write("file", .blob(1))
        let result = try tool.run(["put", "--folder", "file/cache", "file"])
        #expect(result.isPlainError(containing: "Cannot use the cache at"))
    }

    @Test func `an argument can name a cache in the Caches folder`() throws {
        try tool.write("a", .blob(1))
        let caches = tool.folder.url.appendingPathComponent("caches").path
        #if os(Linux)
            let result = try tool.shell("XDG_CACHE_HOME='\(caches)' halcyon put --name photos a")
            #expect(result.status == 0)
            #expect(tool.exists("\(caches)/com.onevcat.Kingfisher.ImageCache.photos/.halcyon/index.sqlite"))
        #endif
        _ = caches
    }

    @Test func `keys that look like options are accepted after two dashes`() throws {
        try tool("put", "--key=--all", "-", input: .blob(1))
        #expect(try tool("get", "--", "--all").data == .blob(1))
    }

    @Test func `no error prints a key that was not typed`() throws {
        try tool("put", "--key", "secret-token", "-", input: .blob(1))
        try Data(repeating: 7, count: 8192).write(
            to: URL(fileURLWithPath: tool.cache + "/.halcyon/index.sqlite"))
        for command in ["list", "stats", "check", "clean"] {
            #expect(try !tool(command).errors.contains("secret"))
        }
    }
}
