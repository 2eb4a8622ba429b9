/// Compares the library with the bare system calls for the same effect, and with a plain file-attribute backend.
@main
enum Main {
    static func main() {
        // The program starts itself for measurements in a fresh process.
        if let probe = OpeningProbe(CommandLine.arguments) { return probe.run() }
        Progress.start()
        BenchCommand.main()
    }
}
