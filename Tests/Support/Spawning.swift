package import Foundation

/// Starts programs. Foundation's `Process` leaks (6.3), and the address sanitizer reports that.
package enum Spawning {
    /// - Parameters:
    ///   - words: its name and its arguments.
    ///   - environment: nil for this process's.
    ///   - streams: which descriptor of this process becomes which one of the new process.
    /// - Returns: the process; wait for it.
    package static func start(
        _ program: String, _ words: [String], environment: [String: String]? = nil, streams: [Int32: Int32]
    ) throws(POSIXError) -> pid_t {
        var (actions, attributes) = (FileActions(), Attributes())
        defer {
            actions.destroy()
            attributes.destroy()
        }
        for (target, source) in streams { actions.duplicate(source, to: target) }
        var pid: pid_t = 0
        let code = withCStrings(words) { argv in
            guard let environment else {
                return posix_spawn(&pid, program, &actions.actions, &attributes.attributes, argv, environ)
            }
            return withCStrings(environment.map { "\($0)=\($1)" }) { envp in
                posix_spawn(&pid, program, &actions.actions, &attributes.attributes, argv, envp)
            }
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return pid
    }

    /// A NULL-terminated array of C strings, valid during the call.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let strings = texts.map { strdup($0) }
        defer { strings.forEach { free($0) } }
        return body(strings + [nil])
    }
}

private struct FileActions {
    #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
    #else
        var actions = posix_spawn_file_actions_t()
    #endif

    init() { posix_spawn_file_actions_init(&actions) }

    mutating func duplicate(_ source: Int32, to target: Int32) {
        posix_spawn_file_actions_adddup2(&actions, source, target)
    }

    mutating func destroy() { posix_spawn_file_actions_destroy(&actions) }
}

/// `swift test` ignores SIGXFSZ, and Dispatch's threads block it. The processes that they start would inherit that.
private struct Attributes {
    #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
    #else
        var attributes = posix_spawnattr_t()
    #endif

    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGXFSZ)
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        sigdelset(&blocked, SIGXFSZ)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    }

    mutating func destroy() { posix_spawnattr_destroy(&attributes) }
}
