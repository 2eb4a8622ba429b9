import Foundation

/// Runs the measurement in a child process and deletes its files when that ends, however it ends: an interrupted run must not leave a tmpfs
/// full.
struct Supervisor {
    /// The parents of the measurement's folders.
    let parents: [URL]

    private static let variable = "HALCYON_BENCH_SESSION"

    /// Part of the folders' names; nil in the process that supervises.
    static var session: String? { ProcessInfo.processInfo.environment[variable] }

    static func folder(in parent: URL, session: String) -> URL {
        parent.appendingPathComponent("halcyon-bench-\(session)", isDirectory: true)
    }

    /// - Returns: how it ended.
    func run() throws -> Int32 {
        let session = UUID().uuidString
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = Array(CommandLine.arguments.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: session]) { $1 }
        try process.run()
        // After the start, because the child would inherit ignored signals.
        let signals = [SIGINT, SIGTERM, SIGHUP].map { handOn($0, to: process) }
        defer { signals.forEach { $0.cancel() } }
        process.waitUntilExit()
        parents.forEach { remove(Self.folder(in: $0, session: session)) }
        return process.terminationReason == .exit ? process.terminationStatus : 1
    }

    private func handOn(_ number: Int32, to process: Process) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { if process.isRunning { process.terminate() } }
        source.resume()
        return source
    }

    private func remove(_ folder: URL) {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        Progress.say("removing the files in \(folder.deletingLastPathComponent().path)")
        do { try FileManager.default.removeItem(at: folder) } catch { Progress.say("\(folder.path) is left: \(error)") }
    }
}
