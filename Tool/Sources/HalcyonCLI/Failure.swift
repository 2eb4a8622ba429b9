internal import ArgumentParser
internal import Foundation

/// What went wrong and what to do about it, in words for the person at the terminal.
///
/// Ends the command with status 1.
package struct Failure: LocalizedError, Equatable {
    package let message: String

    package init(_ message: String) { self.message = message }

    package var errorDescription: String? { message }
}

/// Whoever read our output has gone.
struct ClosedPipe: Error {}

extension ExitCode {
    /// What shells report for a command that Ctrl-C ended.
    static let interrupted = ExitCode(130)
}

extension Error {
    /// The reason in a few words, without Foundation's wrapping.
    var reason: String {
        let error = self as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        if underlying.domain == NSPOSIXErrorDomain { return Errno.text(Int32(underlying.code)) }
        // Foundation on Linux keeps the system's number to itself.
        switch (error as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return Errno.text(ENOENT)
        case .fileReadNoPermission: return Errno.text(EACCES)
        default: return error.localizedDescription
        }
    }
}

/// The C library's error numbers in words.
enum Errno {
    static var text: String { text(errno) }

    static func text(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}
