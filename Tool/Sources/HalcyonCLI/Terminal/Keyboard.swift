internal import Dispatch
internal import Foundation

/// Reads single keys from the terminal, without echo.
struct Keyboard {
    /// What `q` queues: no signal has this number.
    static let quit: Int32 = 0

    private let original: termios
    private let reading: any DispatchSourceRead

    /// Returns nil if standard input is not a terminal, or if another process has it: a process in the background would stop.
    init?(queueing keys: Signals) {
        var settings = termios()
        let group = tcgetpgrp(STDIN_FILENO)
        guard group < 0 || group == getpgrp(), tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        original = settings
        reading = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        reading.setEventHandler { [reading] in
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // The end of the input is readable for ever.
            if count <= 0 { reading.cancel() }
            if bytes.prefix(max(0, count)).contains(where: { $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") }) {
                keys.add(Self.quit)
            }
        }
        reading.activate()
    }

    func enter() {
        var settings = original
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        set(settings)
    }

    func leave() { set(original) }

    private func set(_ settings: termios) {
        var settings = settings
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}
