import Foundation

/// Stops this process, and comes back only after another one has let it go on.
///
/// `kill(getpid(), SIGSTOP)` alone does not: the signal is the process's, and may stop another thread first. Until that one has
/// told all others, whoever has called it goes on: a few microseconds on an idle machine, a whole commit on a busy one.
enum SelfStop {
    /// Keeps SIGCONT for ``stop()``. While there is only one thread: the others get from it what they do not take.
    static func prepare() {
        // Without a handler, a signal that no thread takes at once may be discarded.
        signal(SIGCONT) { _ in }
        var continuation = continuation
        pthread_sigmask(SIG_BLOCK, &continuation, nil)
    }

    /// From any thread.
    static func stop() {
        var continuation = continuation
        var taken: Int32 = 0
        kill(getpid(), SIGSTOP)
        while sigwait(&continuation, &taken) != 0 {}
    }

    private static var continuation: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGCONT)
        return signals
    }
}
