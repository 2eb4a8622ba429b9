internal import ArgumentParser
internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// Headers of the HTTP response that delivered an entry's bytes.
struct ValidatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The ETag of the response, including its quotes; empty to remove it.", valueName: "text"))
    var etag: String?

    @Option(
        help: ArgumentHelp(
            "The Last-Modified header of the response, as sent; empty to remove it.", valueName: "text"))
    var lastModified: String?

    @Option(
        help: ArgumentHelp("The max-age of the response's Cache-Control; empty to remove it.", valueName: "seconds"),
        transform: MaxAge.parse)
    var maxAge: MaxAge?

    @Option(
        help: ArgumentHelp(
            "The stale-while-revalidate of the response's Cache-Control; empty to remove it.",
            valueName: "seconds"),
        transform: MaxAge.parse)
    var staleWhileRevalidate: MaxAge?

    @Flag(help: "Record that the server has just confirmed the bytes, so that --max-age counts from now.")
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
