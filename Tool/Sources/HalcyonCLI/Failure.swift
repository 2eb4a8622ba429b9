internal import ArgumentParser
internal import Foundation

/// An error message for the user: what failed and what to do about it.
///
/// Ends the command with status 1.
package struct Failure: LocalizedError, Equatable {
    package let message: String

    /// Escapes control characters, which paths may contain.
    package init(_ message: String) { self.message = TextWidth.printable(message) }

    package var errorDescription: String? { message }
}

/// The reader of our output has closed the pipe.
struct ClosedPipe: Error {}

extension ExitCode {
    /// The status that shells report for a command that Ctrl-C ended.
    static let interrupted = ExitCode(130)
}

extension Error {
    /// The reason as a short phrase, without Foundation's wrapping.
    var reason: String {
        let error = self as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        if underlying.domain == NSPOSIXErrorDomain { return Errno.text(Int32(underlying.code)) }
        // Foundation on Linux does not expose the errno.
        switch (error as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return Errno.text(ENOENT)
        case .fileReadNoPermission: return Errno.text(EACCES)
        default: return error.localizedDescription
        }
    }
}

/// Text for the C library's error numbers.
enum Errno {
    static var text: String { text(errno) }

    static func text(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}
