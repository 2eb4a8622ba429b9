internal import ArgumentParser
internal import Foundation

/// Asking before something is done that cannot be undone.
struct Confirmation: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    /// - Throws: ``Failure`` where the answer is not yes, or nobody can be asked.
    func ask(_ question: String) throws {
        guard !yes else { return }
        guard Terminal.input != nil else {
            throw Failure("Nobody can be asked whether to remove that. Add --yes to do it.")
        }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        guard ["y", "yes"].contains(readLine()?.lowercased()) else { throw Failure("Nothing was removed.") }
    }
}
