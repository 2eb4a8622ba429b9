internal import ArgumentParser
internal import Dispatch
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Shows the activity in a cache live.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch a cache live: size, hit rate, stores and evictions.",
        discussion: """
            Draws a summary every few seconds, until you press q or Ctrl-C. If the output is not a terminal that can be \
            drawn on, it prints one block after the other. It changes nothing in the cache and does not keep it open. If there is no cache yet, it \
            waits until there is.

            Entries show at once. Reads, and the counts of other processes, show when those processes write them, every ten \
            seconds, so rates jump. Keys are private: entries are shown by host or file name and the first digits of a hash, \
            unless you add --keys.

            EXAMPLES
              halcyon watch --folder ./cache --limit 200MB
              halcyon watch --name default --interval 0.5
              halcyon watch --folder ./cache --json --count 10
            """)

    @OptionGroup var cache: CacheOptions

    @Option(help: ArgumentHelp("Seconds between two updates.", valueName: "seconds"))
    var interval = 2.0

    @Option(help: ArgumentHelp("Stop after this many updates.", valueName: "number"))
    var count: Int?

    @Option(
        help: ArgumentHelp(
            "Show how full the cache is, for a limit such as 200MB.", valueName: "size"), transform: ByteSize.parse)
    var limit: ByteSize?

    @Flag(help: "Show whole keys. Keys are private.")
    var keys = false

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func validate() throws {
        guard (0.1...86_400).contains(interval) else {
            throw ValidationError("--interval is a number of seconds from 0.1 to 86400.")
        }
        if let count, count < 1 { throw ValidationError("--count is a number of updates, 1 or more.") }
        if limit?.bytes == 0 { throw ValidationError("A limit of 0 bytes is none. Leave out --limit.") }
    }

    func run() throws {
        let folder = cache.folderURL.path
        try requireRoom(in: CacheFolder(path: folder, hasUnhashedNames: cache.hasUnhashedNames))
        let text = WatchText(folder: folder, limit: limit?.bytes, showsKeys: keys)
        if !json, let terminal = Terminal.output, !Terminal.isDumb {
            try draw(Watcher(folder: folder), text, on: terminal)
        } else {
            try print(Watcher(folder: folder), text)
        }
    }

    /// Throws if the folder is not a cache and cannot become one: it is probably a typo.
    private func requireRoom(in folder: CacheFolder) throws {
        switch try folder.content() {
        case .missing, .nothing: return
        case .cache, .file, .foreignFiles: try folder.require(.using)
        }
    }

    // MARK: In a pipe

    private func print(_ watcher: Watcher, _ text: WatchText) throws {
        var watcher = watcher
        for number in 0..<(count ?? .max) {
            if number > 0 { Thread.sleep(forTimeInterval: interval) }
            let look = watcher.look()
            if json {
                try Output.print(look.object(limit: limit?.bytes, showsKeys: keys).compact)
            } else {
                let lines = text.lines(of: look, width: .max, height: nil)
                try Output.print((number > 0 ? [""] + lines : lines).joined(separator: "\n"))
            }
        }
    }

    // MARK: On a terminal

    private func draw(_ watcher: Watcher, _ text: WatchText, on terminal: Terminal) throws {
        let signals = Signals([SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT])
        let screen = FullScreen(terminal, Keyboard(queueing: signals))
        var end: Int32?
        do {
            try screen.enter()
            // Always restore the terminal: without a cursor it is unusable. If the terminal itself is gone, ignore the error.
            defer { try? screen.leave() }
            end = try keepDrawing(watcher, text, on: screen, until: signals)
        }
        if let end { throw ExitCode(128 + end) }
    }

    /// - Returns: the signal that ended the drawing; nil after `q` or the last look.
    private func keepDrawing(
        _ watcher: Watcher, _ text: WatchText, on screen: FullScreen, until signals: Signals
    ) throws -> Int32? {
        var watcher = watcher
        for _ in 0..<(count ?? .max) {
            let look = watcher.look()
            let next = DispatchTime.now() + interval
            repeat {
                let (columns, rows) = screen.size
                let hint = TextWidth.shortened(screen.hint, to: columns)
                let lines = text.lines(of: look, width: columns, height: rows - 2) + ["", hint]
                try screen.draw(lines.suffix(max(1, rows)))
                switch signals.next(until: next) {
                case SIGWINCH?, nil: break
                case Keyboard.quit?: return nil
                case SIGTSTP?: try pause(screen)
                // The shell sets the terminal back when another process has stopped this one.
                case SIGCONT?: try screen.enter()
                case let end?: return end
                }
            } while DispatchTime.now() < next
        }
        return nil
    }

    /// Handles Ctrl-Z: restores the shell's screen, and continues when the shell resumes the process.
    private func pause(_ screen: FullScreen) throws {
        try screen.leave()
        kill(getpid(), SIGSTOP)
        try screen.enter()
    }
}
