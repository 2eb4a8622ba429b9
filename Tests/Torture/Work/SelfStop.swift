import Foundation

/// Stops this process, and returns only after another process has continued it.
///
/// `kill(getpid(), SIGSTOP)` alone does not do that: the process receives the signal, and it may stop another thread first. Until all
/// threads have stopped, the caller continues: a few microseconds on an idle machine, a whole commit on a busy one.
enum SelfStop {
    /// Blocks SIGCONT for ``stop()``. Call it while there is only one thread, because other threads inherit the mask.
    static func prepare() {
        // Without a handler, the system may discard a signal that no thread accepts at once.
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
