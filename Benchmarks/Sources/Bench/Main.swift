/// Measures the library beside the bare system calls for the same effect and beside a plain file-attribute backend.
@main
enum Main {
    static func main() {
        // The program starts itself for what has to be measured in a process that has done nothing yet.
        if let probe = OpeningProbe(CommandLine.arguments) { return probe.run() }
        Progress.start()
        BenchCommand.main()
    }
}
