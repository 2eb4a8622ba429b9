internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Headers of the HTTP response that delivered an entry's bytes.
struct ValidatorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The response's ETag, with its quotes; empty for none.", valueName: "text"))
    var etag: String?

    @Option(help: ArgumentHelp("The response's Last-Modified, as it was sent; empty for none.", valueName: "text"))
    var lastModified: String?

    @Option(
        help: ArgumentHelp("The max-age of the response's Cache-Control; empty for none.", valueName: "seconds"),
        transform: MaxAge.parse)
    var maxAge: MaxAge?

    @Option(
        help: ArgumentHelp(
            "For how long after that the bytes may be used while they are validated; empty for none.",
            valueName: "seconds"),
        transform: MaxAge.parse)
    var staleWhileRevalidate: MaxAge?

    @Flag(help: "The server has just confirmed the bytes: --max-age counts from now.")
    var validated = false

    /// Merges the given options into the existing validators; nil if no options are given.
    func added(to validators: DiskStorage.HTTPValidators?) -> DiskStorage.HTTPValidators? {
        guard etag != nil || lastModified != nil || maxAge != nil || staleWhileRevalidate != nil || validated else {
            return nil
        }
        var validators = validators ?? .init()
        if let etag { validators.etag = etag.isEmpty ? nil : etag }
        if let lastModified { validators.lastModified = lastModified.isEmpty ? nil : lastModified }
        if let maxAge { validators.maxAge = maxAge.seconds }
        if let staleWhileRevalidate { validators.staleWhileRevalidate = staleWhileRevalidate.seconds }
        if validated { (validators.validatedAt, validators.age) = (Date(), nil) }
        return validators
    }
}
