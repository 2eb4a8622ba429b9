internal import ArgumentParser
@_spi(HalcyonTool) internal import Halcyon

/// Headers of the HTTP response that an entry's bytes came with.
struct ValidatorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The response's ETag, with its quotes; empty for none.", valueName: "text"))
    var etag: String?

    @Option(help: ArgumentHelp("The response's Last-Modified, as it was sent; empty for none.", valueName: "text"))
    var lastModified: String?

    @Option(
        help: ArgumentHelp("The max-age of the response's Cache-Control; empty for none.", valueName: "seconds"),
        transform: MaxAge.parse)
    var maxAge: MaxAge?

    /// What is given, beside what was noted before; nil where nothing is given.
    func added(to validators: DiskStorage.HTTPValidators?) -> DiskStorage.HTTPValidators? {
        guard etag != nil || lastModified != nil || maxAge != nil else { return nil }
        var validators = validators ?? .init()
        if let etag { validators.etag = etag.isEmpty ? nil : etag }
        if let lastModified { validators.lastModified = lastModified.isEmpty ? nil : lastModified }
        if let maxAge { validators.maxAge = maxAge.seconds }
        return validators
    }
}
