import Foundation
import HalcyonCLI
import Testing

@Suite struct `Putting and getting` {
    private let tool: Tool
    init() throws { tool = try Tool() }

    @Test(arguments: [0, 1, 100_000])
    func `get returns the same bytes in another process`(count: Int) throws {
        let data = Data.blob(7, count: count)
        try tool.write("a.bin", data)
        let put = try tool("put", "a.bin")
        #expect(put.status == 0 && put.errors.isEmpty && put.lines.count == 2 && put.lines[0] == "a.bin")
        let get = try tool("get", "a.bin")
        #expect(get.status == 0 && get.data == data && get.errors.isEmpty)
    }

    @Test func `put stores the files of a folder and its subfolders, without hidden ones`() throws {
        for name in ["p/a.png", "p/q/b.png", "p/.hidden", "p/.git/c.png"] { try tool.write(name, .blob(1)) }
        try FileManager.default.createSymbolicLink(
            at: tool.folder.url.appendingPathComponent("p/link"), withDestinationURL: tool.folder.url)
        let lines = try tool("put", "p").lines
        #expect(lines.count == 3 && lines[2].hasPrefix("Stored 2 files, 200 B,"))
        let keys = try tool("list", "--json").objects().compactMap { $0["key"] as? String }
        #expect(keys.sorted() == ["p/a.png", "p/q/b.png"])
    }

    #if os(Linux)
        @Test func `put stores the other files of a folder if the name of one is not UTF-8`() throws {
            for name in ["p/a.png", "p/z.png"] { try tool.write(name, .blob(1)) }
            let path = tool.folder.url.appendingPathComponent("p").path
            let name = Array("\(path)/caf".utf8) + [0xE9, 0]
            let file = name.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_WRONLY | O_CREAT, 0o600) }
            }
            try #require(file >= 0)
            close(file)
            let result = try tool("put", "p")
            #expect(result.status == 1 && result.errors.contains("is not UTF-8"))
            #expect(try tool("list", "--count", "--json").object()["entries"] as? Int == 2)
        }

        @Test func `messages that cannot be written end no command`() throws {
            try tool.write("a.png", .blob(1))
            #expect(try tool("put", "a.png").status == 0)
            for (arguments, status) in [(["remove", "none"], 0), (["put", "a.png", "none"], 1)] {
                let output = try tool.makeFile("output")
                let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
                let process = try tool.start(
                    arguments + ["--folder", tool.cache],
                    streams: [Tool.openNull(), FileHandle(forUpdating: output), full])
                #expect(process.wait() == Int32(status))
            }
        }
    #endif

    @Test(arguments: ["watch", "list"])
    func `an app's directory whose files have their keys as names is accepted with an option`(command: String) throws {
        let folder = tool.folder.url.appendingPathComponent("com.onevcat.Kingfisher.ImageCache.x")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data.blob(1).write(to: folder.appendingPathComponent("my picture.png"))
        let arguments = [command, "--folder", folder.path, "--unhashed-names"]
        #expect(try tool.run(arguments + (command == "watch" ? ["--count", "1"] : [])).status == 0)
    }

    @Test func `a cache whose files have their keys as names is read with an option`() throws {
        try tool.write("a.png", .blob(1))
        #expect(try tool("put", "--unhashed-names", "--key", "picture.png", "a.png").status == 0)
        let cached = URL(fileURLWithPath: tool.cache).appendingPathComponent("picture.png")
        #expect(FileManager.default.fileExists(atPath: cached.path))
        #expect(try tool("get", "--unhashed-names", "picture.png").data == .blob(1))
        #expect(try tool("get", "picture.png").status == 1)
    }

    @Test func `put skips the cache itself if it is in the folder`() throws {
        try tool.write("a.png", .blob(1))
        #expect(try tool("put", ".").lines[1].hasPrefix("Stored 1 file,"))
        #expect(try tool("put", ".").lines[1].hasPrefix("Stored 1 file,"))
        #expect(try tool("check").status == 0)
    }

    @Test func `put stores standard input under a given key`() throws {
        #expect(try tool("put", "--key", "https://example.com/a b", "-", input: .blob(3)).status == 0)
        #expect(try tool("get", "https://example.com/a b").data == .blob(3))
    }

    @Test func `put stores a file under a given key`() throws {
        try tool.write("a.png", .blob(4))
        try tool("put", "--key", "k", "a.png")
        #expect(try tool("get", "k").data == .blob(4))
        #expect(try tool("get", "a.png").status == 1)
    }

    @Test func `get refuses an empty path`() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        let result = try tool.run(["get", "--folder", tool.cache, "-o", "", "k"])
        #expect(result.status == 64 && result.errors.contains("-o is empty"))
    }

    @Test func `the extension is part of an entry's identity`() throws {
        try tool("put", "--key", "k", "--extension", ".png", "-", input: .blob(5))
        #expect(try tool("get", "k").status == 1)
        #expect(try tool("get", "--extension", "png", "k").data == .blob(5))
        #expect(try tool("path", "--extension", "png", "k").lines.first?.hasSuffix(".png") == true)
        #expect(try tool("remove", "--extension", "png", "k").status == 0)
        #expect(try tool("list", "--json").objects().isEmpty)
    }

    @Test func `put skips and names unreadable files, and fails at the end`() throws {
        try tool.write("a.png", .blob(1))
        #expect(mkfifo(tool.folder.url.appendingPathComponent("pipe").path, 0o600) == 0)
        let result = try tool("put", "missing.png", "pipe", "a.png")
        #expect(result.status == 1)
        #expect(result.errors.contains("Cannot store missing.png: no such file or directory."))
        #expect(result.errors.contains("Cannot store pipe: it is no regular file."))
        #expect(result.output.hasPrefix("a.png\nStored 1 file"))
        #expect(try tool("get", "a.png").data == .blob(1))
    }

    @Test func `put creates no cache if there is nothing to store`() throws {
        let result = try tool("put", "missing.png")
        #expect(result.status == 1 && result.errors.contains("missing.png"))
        #expect(!tool.exists(tool.cache))
    }

    @Test func `put prints its keys, and skips other files only on request`() throws {
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 8)
        try tool.write("p/a.png", png)
        try tool.write("p/notes.txt", Data("text".utf8))
        let some = try tool("put", "--pictures-only", "p")
        #expect(some.status == 0 && some.lines[0] == "p/a.png")
        #expect(some.lines[1].hasSuffix("; skipped 1 file that is not a picture."))
        #expect(try tool("put", "p").lines.dropLast().sorted() == ["p/a.png", "p/notes.txt"])
        #expect(try tool("put", "--key", "k", "--processor", "round", "p/a.png").lines[0] == "k@round")
        let input = try tool("put", "--pictures-only", "--key", "k", "-", input: Data("text".utf8))
        #expect(input.isPlainError(containing: "Standard input is not a picture"))
    }

    @Test func `put refuses to create a cache among other files`() throws {
        try tool.write("cache/letter.txt", .blob(1))
        try tool.write("a.png", .blob(1))
        #expect(try tool("put", "a.png").isPlainError(containing: "contains other files"))
        #expect(!tool.exists(tool.cache + "/.halcyon"))
    }

    @Test func `put continues where another process has ended while it created the cache`() throws {
        try FileManager.default.createDirectory(atPath: tool.cache + "/.halcyon", withIntermediateDirectories: true)
        #expect(try tool("list").isPlainError(containing: "contains neither"))
        #expect(try tool("put", "--key", "k", "-", input: .blob(1)).status == 0)
        #expect(try tool("get", "k").data == .blob(1))
    }

    @Test func `in a path, two dots lead out of the folder that a symlink names`() throws {
        try tool.write("here/f", .blob(1))
        try tool.write("deep/f", .blob(2))
        try tool.write("deep/in/g", .blob(3))
        try FileManager.default.createSymbolicLink(
            atPath: "\(tool.folder.url.path)/here/link", withDestinationPath: "../deep/in")
        #expect(try tool("put", "here/link/..").lines.first == "here/link/../f")
        #expect(try tool("get", "-o", "here/link/../out", "here/link/../f").status == 0)
        #expect(try Data(contentsOf: tool.folder.url.appendingPathComponent("deep/out")) == .blob(2))
    }

    #if os(Linux)
        @Test func `paths are compared by their bytes`() throws {
            let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
            try tool.write("\(decomposed)/f", .blob(1))
            let put = try tool.run(["put", "--folder", composed, decomposed])
            #expect(put.lines.last?.hasPrefix("Stored 1 file") == true)
            let get = ["get", "--folder", composed, "\(decomposed)/f", "-o"]
            #expect(try tool.run(get + ["\(decomposed)/out"]).status == 0)
            // A slash and a combining mark are one character.
            let output = try tool.run(get + ["\(composed)/\u{301}x"])
            #expect(output.isPlainError(containing: "directory of the cache"))
        }
    #endif

    @Test func `an output file cannot replace what is in the cache`() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        let blob = try tool("path", "k").lines[0]
        try FileManager.default.createSymbolicLink(
            atPath: tool.folder.url.appendingPathComponent("link").path, withDestinationPath: blob)
        let index = tool.cache + "/.halcyon"
        try FileManager.default.createSymbolicLink(atPath: "\(tool.folder.url.path)/index", withDestinationPath: index)
        let name = URL(fileURLWithPath: blob).lastPathComponent
        try FileManager.default.createSymbolicLink(
            atPath: "\(tool.folder.url.path)/dangling", withDestinationPath: "cache/new")
        for output in [blob, "cache/new", "link", "dangling", "index/../\(name)", "index/../new"] {
            #expect(try tool("get", "-o", output, "k").isPlainError(containing: "directory of the cache"))
        }
        #expect(
            try tool("report", "-o", "cache/.halcyon/index.sqlite").isPlainError(containing: "directory of the cache"))
        #expect(try tool("get", "k").data == .blob(1) && tool.blobCount() == 1)
    }

    #if os(Linux)
        /// Whether this process may hide /proc from another one.
        private static let canHideProcesses =
            (try? Tool().shell("unshare -m umount -l /proc 2>/dev/null"))?.status == 0

        @Test(.enabled(if: canHideProcesses)) func `without its arguments the command fails`() throws {
            let result = try tool.shell("unshare -m sh -c 'umount -l /proc && $HALCYON put a'")
            #expect(result.status != 0 && result.data.isEmpty)
        }
    #endif

    @Test func `get overwrites its output file`() throws {
        try tool.write("out", .blob(9, count: 5000))
        try tool("put", "--key", "k", "-", input: .blob(6))
        let result = try tool("get", "-o", "out", "k")
        #expect(result.status == 0 && result.data.isEmpty)
        #expect(try Data(contentsOf: tool.folder.url.appendingPathComponent("out")) == .blob(6))
        #expect(try tool("get", "-o", "no/such/folder", "k").isPlainError(containing: "Cannot write no/such/folder"))
    }

    @Test func `a file that exceeds the limit of the process is an error, and earlier files stay stored`() throws {
        try tool.write("a", .blob(1))
        try tool.write("b", .blob(2, count: 3_000_000))
        try tool("put", "--key", "k", "-", input: .blob(6))
        // In blocks of 1,024 bytes.
        let result = try tool.shell("ulimit -f 1000; halcyon put --folder \"$cache\" a b")
        #expect(result.status == 1 && result.errors.contains("ulimit -f"), "\(result.errors)")
        #expect(try tool("get", "a").data == .blob(1))
        #expect(try tool("get", "k").data == .blob(6))
    }

    @Test func `an output file keeps its contents if it cannot be written whole`() throws {
        try tool("put", "--key", "k", "-", input: .blob(6, count: 300_000))
        try tool.write("out", .blob(9, count: 5000))
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path)
        // In blocks of 1,024 bytes.
        let result = try tool.shell("ulimit -f 100; halcyon get --folder \"$cache\" -o out k")
        #expect(result.status == 1 && result.errors.contains("Cannot write out"), "\(result.errors)")
        #expect(try Data(contentsOf: tool.folder.url.appendingPathComponent("out")) == .blob(9, count: 5000))
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path).count == names.count)
    }

    /// For root, every directory can be changed.
    @Test(arguments: ["link", "fixed/out"])
    func `an output file in a directory that cannot be changed is overwritten, and a symlink to it stays one`(
        output: String
    ) throws {
        try tool("put", "--key", "k", "-", input: .blob(6))
        try tool.write("fixed/out", .blob(9, count: 5000))
        let (folder, files) = (tool.folder.url, FileManager.default)
        let (fixed, link) = (folder.appendingPathComponent("fixed"), folder.appendingPathComponent("link"))
        try files.createSymbolicLink(at: link, withDestinationURL: fixed.appendingPathComponent("out"))
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: fixed.path)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixed.path) }
        #expect(try tool("get", "-o", output, "k").status == 0)
        #expect(try Data(contentsOf: fixed.appendingPathComponent("out")) == .blob(6))
        #expect(try files.attributesOfItem(atPath: link.path)[.type] as? FileAttributeType == .typeSymbolicLink)
    }

    /// Only root can give a file to another user.
    @Test(.enabled(if: geteuid() == 0)) func `an output file keeps its owner, group and permissions`() throws {
        try tool("put", "--key", "k", "-", input: .blob(6))
        try tool.write("out", .blob(9))
        let path = tool.folder.url.appendingPathComponent("out").path
        #expect(chown(path, 65_534, 65_533) == 0 && chmod(path, 0o640) == 0)
        #expect(try tool("get", "-o", "out", "k").status == 0)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(status.st_uid == 65_534 && status.st_gid == 65_533)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == .blob(6))
    }

    @Test func `the target of a symlink is created, and a hard link stays one`() throws {
        try tool("put", "--key", "k", "-", input: .blob(6))
        let folder = tool.folder.url
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("link").path, withDestinationPath: "target")
        #expect(try tool("get", "-o", "link", "k").status == 0)
        #expect(try Data(contentsOf: folder.appendingPathComponent("target")) == .blob(6))
        try FileManager.default.linkItem(
            at: folder.appendingPathComponent("target"), to: folder.appendingPathComponent("other"))
        try tool("put", "--key", "k", "-", input: .blob(7))
        #expect(try tool("get", "-o", "target", "k").status == 0)
        #expect(try Data(contentsOf: folder.appendingPathComponent("other")) == .blob(7))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal during get -o leaves no part of the file`(signal: Int32) throws {
        try tool("put", "--key", "k", "-", input: Data(count: 100_000_000))
        let (folder, null) = (tool.folder.url, try Tool.openNull())
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("out"), withIntermediateDirectories: true)
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("out").path)
        }
        let process = try tool.start(
            ["get", "--folder", tool.cache, "-o", "out/file", "k"], streams: [null, null, null])
        while process.isRunning, try names().isEmpty { sched_yield() }
        process.send(signal)
        #expect([0, -signal].contains(process.wait()))
        #expect(try names().allSatisfy { $0 == "file" })
    }

    @Test func `put follows a symlink that is named`() throws {
        try tool.write("a.png", .blob(3))
        try FileManager.default.createSymbolicLink(
            atPath: tool.folder.url.appendingPathComponent("link").path, withDestinationPath: "a.png")
        #expect(try tool("put", "link").status == 0)
        #expect(try tool("get", "link").data == .blob(3))
    }

    @Test func `get says that a key is not cached`() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        #expect(try tool("get", "other").isPlainError(containing: "Nothing valid is cached under “other”."))
    }

    @Test func `a relative folder in a deleted directory gets an error`() throws {
        let lost = tool.folder.url.appendingPathComponent("lost").path
        try FileManager.default.createDirectory(atPath: lost, withIntermediateDirectories: true)
        let null = try Tool.openNull()
        let script = "cd \"$0\" && rmdir \"$0\" && exec \"$HALCYON\" put --folder x --key a /dev/null 2> \"$0.txt\""
        let process = try tool.start(
            ["-c", script, lost], executable: URL(fileURLWithPath: "/bin/sh"), streams: [null, null, null])
        #expect(process.wait() == 1)
        #expect(try String(contentsOfFile: lost + ".txt", encoding: .utf8).hasPrefix("Error: "))
    }

    @Test func `get says that an entry has expired`() throws {
        try tool("put", "--key", "k", "-", input: .blob(1))
        let index = try Connection(path: tool.cache + "/.halcyon/index.sqlite")
        try index.execute("UPDATE entries SET expires_at = 1000")
        #expect(try tool("get", "k").isPlainError(containing: "The entry has expired"))
    }

    @Test func `get prints text on a terminal, and binary data only if forced`() throws {
        try tool("put", "--key", "binary", "-", input: Data([0, 1, 2, 0xFF]))
        try tool("put", "--key", "text", "-", input: Data("héllo".utf8))
        let terminal = try PseudoTerminal(columns: 80)
        #expect(try tool.atTerminal(terminal, ["get", "--folder", tool.cache, "binary"], output: true) == 1)
        #expect(terminal.screen().isEmpty)
        #expect(try tool.atTerminal(terminal, ["get", "--folder", tool.cache, "text"], output: true) == 0)
        #expect(terminal.screen() == "héllo")
        #expect(try tool.atTerminal(terminal, ["get", "--folder", tool.cache, "--force", "binary"], output: true) == 0)
        #expect(terminal.screen().unicodeScalars.contains("\u{1}"))
    }

    @Test func `put shows progress in one line of the terminal, and clears it`() throws {
        for index in 0..<5 { try tool.write("p/\(index).png", .blob(index)) }
        let terminal = try PseudoTerminal(columns: 70)
        #expect(try tool.atTerminal(terminal, ["put", "--folder", tool.cache, "p"], errors: true) == 0)
        let screen = terminal.screen()
        #expect(screen.contains("0 of 5") && !screen.contains("\n"))
        #expect(screen.hasSuffix("\r" + String(repeating: " ", count: 69) + "\r"))
    }

    @Test func `a command in the background of a script does not end at Ctrl-C`() throws {
        for index in 0..<300 { try tool.write("p/\(index)", Data()) }
        let line = """
            trap '' INT
            "$HALCYON" put --folder "$cache" p &
            while kill -INT $! 2>/dev/null; do :; done
            wait $!
            """
        let result = try tool.shell(line)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(try tool.blobCount() == 300)
    }

    @Test func `at Ctrl-C, put ends after the current file and reports what it stored`() throws {
        for index in 0..<4000 { try tool.write("p/\(index)", Data()) }
        try tool("put", "--key", "k", "-", input: .blob(1))
        let errors = try tool.makeFile("errors")
        let handle = try FileHandle(forUpdating: errors)
        let null = try Tool.openNull()
        let process = try tool.start(
            ["put", "--folder", tool.cache, "p"],
            streams: [null, null, handle])
        while process.isRunning, try tool.blobCount() < 2 { sched_yield() }
        // A writer blocks the next store until the test has sent Ctrl-C.
        let writer = try Connection(path: tool.cache + "/.halcyon/index.sqlite")
        try writer.begin()
        process.interrupt()
        try writer.rollBack()
        let status = process.wait()
        let text = String(decoding: try tool.contents(of: errors), as: UTF8.self)
        #expect(status == 130)
        #expect(text.hasPrefix("Interrupted: stored ") && text.contains("of 4000, "))
        #expect(try tool("check").status == 0)
    }
}
