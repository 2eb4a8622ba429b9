internal import ArgumentParser
internal import Foundation

/// Asks for confirmation before an action that cannot be undone.
struct Confirmation: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    /// - Throws: ``Failure`` if the answer is not yes, or if there is no terminal to ask on.
    func ask(_ question: @autoclosure () throws -> String) throws {
        guard !yes else { return }
        guard Terminal.input != nil else {
            throw Failure(
                "Cannot ask for confirmation, because standard input is not a terminal. Add --yes "
                    + "to remove without asking.")
        }
        let question = TextWidth.printable(try question())
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        let answer = readLine()
        // After Ctrl-D, the cursor is still behind the question.
        if answer == nil { Message.print("") }
        guard ["y", "yes"].contains(answer?.lowercased()) else { throw Failure("Nothing was removed.") }
    }
}
