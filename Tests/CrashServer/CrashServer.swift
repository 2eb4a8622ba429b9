internal import CHalcyonFaultVFS
internal import Foundation
internal import HalcyonTestSupport

/// Starts processes that end at a step of an operation, one for each line of input, and prints how each has ended.
///
/// It has one thread and does not use Dispatch, so a copy of it (`fork`) is as good as a new process, and takes a millisecond.
@main enum CrashServer {
    static func main() {
        while let line = readLine() {
            guard let work = Work(line) else { continue }
            let child = halcyon_fork()
            if child == 0 { perform(work) }
            print(outcome(of: child))
            // Otherwise the next child would inherit the buffered output.
            fflush(nil)
        }
    }

    private enum Work {
        case crash(CrashingRun, URL)
        case errand(Errand, URL)

        init?(_ line: String) {
            if let (run, directory) = CrashingRun.parse(line) {
                self = .crash(run, directory)
            } else if let (errand, directory) = Errand.parse(line) {
                self = .errand(errand, directory)
            } else {
                return nil
            }
        }
    }

    private static func perform(_ work: Work) -> Never {
        do {
            switch work {
            case .crash(let run, let directory):
                try run.perform(in: directory)
                _exit(0)
            case .errand(let errand, let directory):
                try errand.perform(in: directory)
                // Not `_exit`, because the errands test the work at an ordinary exit.
                exit(0)
            }
        } catch {
            FileHandle.standardError.write(Data("\(work): \(error)\n".utf8))
            _exit(1)
        }
    }

    private static func outcome(of child: Int32) -> String {
        var status: Int32 = 0
        guard child > 0, waitpid(child, &status, 0) == child else { return "lost" }
        if status & 0x7F == SIGKILL { return "killed" }
        return status == 0 ? "finished" : "failed"
    }
}
