internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The validators from the HTTP response that delivered an entry's bytes.
struct ValidatorFacts {
    private let validators: DiskStorage.HTTPValidators

    init(_ entry: DiskStorage.EntryInfo) { validators = entry.validators ?? .init() }

    /// The known validators, under the names of their headers.
    var lines: [(String, String)] {
        let lines = [
            ("ETag", validators.etag), ("Last-Modified", validators.lastModified),
            ("Max-Age", validators.maxAge.map(Self.seconds)),
            ("Fresh until", freshUntil.map { DateText.local(Timestamp($0)) }),
            ("Validated", freshUntil == nil ? validators.validatedAt.map { DateText.local(Timestamp($0)) } : nil),
            (
                "Usable for",
                validators.staleWhileRevalidate.map {
                    "\(Self.seconds($0)) after that, while it "
                        + "is being validated"
                }
            ),
            ("Stale", validators.mustRevalidate ? "never to be used (must-revalidate)" : nil),
        ]
        return lines.compactMap { name, text in text.map { (name, $0) } }
    }

    var members: [(name: String, value: JSON)] {
        [
            ("etag", .string(validators.etag)), ("last_modified", .string(validators.lastModified)),
            ("max_age", .integer(validators.maxAge)),
            ("validated", .string(validators.validatedAt.map { DateText.iso8601(Timestamp($0)) })),
            ("age", .integer(validators.age)), ("stale_while_revalidate", .integer(validators.staleWhileRevalidate)),
            ("must_revalidate", .bool(validators.mustRevalidate)),
        ]
    }

    private var freshUntil: Date? {
        guard let maxAge = validators.maxAge, let checked = validators.validatedAt else { return nil }
        return checked + Double(maxAge) - Double(validators.age ?? 0)
    }

    private static func seconds(_ count: Int) -> String { "\(count) s" }
}
