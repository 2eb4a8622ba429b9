internal import Foundation
@_spi(HalcyonTool) internal import Halcyon

/// The output of `stats`, as lines or as a JSON object.
struct StorageFacts {
    let folder: String
    let summary: StorageSummary
    let use: UsageFacts
    let indexBytes: Int64
    let logBytes: Int64
    let volume: Volume?

    init(_ storage: Storage) throws {
        folder = storage.directoryURL.path
        // Finishes adoption first.
        use = try UsageFacts(storage)
        summary = try storage.summary()
        let files = CacheFolder(path: folder)
        indexBytes = files.indexBytes
        logBytes = files.logBytes
        volume = storage.volume
    }
}

extension StorageFacts {
    private var adoption: String {
        switch summary.adoption {
        case .done: "done"
        case .pending: "pending: files are still being taken over"
        case .rebuilding: "rebuilding: the index was damaged, and entries are being restored"
        }
    }

    private var volumeText: String {
        guard let volume else { return "unknown" }
        return volume.name + (volume.isNetworked ? ", no write-ahead log on this file system" : "")
    }

    private func text(_ totals: Totals) -> String { "\(totals.entries), \(ByteSize(totals.bytes))" }

    private var totals: [(String, String)] {
        [
            ("Folder", TextWidth.printable(folder)), ("Entries", text(use.usage.total)),
            ("Expired", text(use.usage.expired)),
            ("Oldest use", summary.oldestAccess.map(DateText.local) ?? "none"),
            ("Newest use", summary.newestAccess.map(DateText.local) ?? "none"),
        ]
    }

    private var index: [(String, String)] {
        let schema = summary.ledger.last.map { "version \($0.version)" } ?? "none"
        return [
            ("Index", "\(ByteSize(indexBytes)), and \(ByteSize(logBytes)) of write-ahead log"), ("Schema", schema),
        ] + summary.ledger.map { ("", "\(TextWidth.printable($0.name)), applied \(DateText.local($0.appliedAt))") }
    }

    var lines: String {
        (totals + use.lines + index + [("Adoption", adoption), ("Volume", "\(volumeText); \(use.free)")])
            .map { name, value in name + String(repeating: " ", count: 12 - name.count) + value }
            .joined(separator: "\n")
    }

    var object: JSON { .object(JSON.Members(members + use.members)) }

    private var members: [(name: String, value: JSON)] {
        [
            ("folder", .string(folder)), ("entries", .integer(use.usage.total.entries)),
            ("bytes", .integer(use.usage.total.bytes)), ("expired", use.usage.expired.object),
            ("oldest_access", .string(summary.oldestAccess.map(DateText.iso8601))),
            ("newest_access", .string(summary.newestAccess.map(DateText.iso8601))),
            ("index_bytes", .integer(indexBytes)), ("log_bytes", .integer(logBytes)),
            ("schema_version", .integer(summary.ledger.last?.version ?? 0)),
            ("ledger", .array(summary.ledger.map { Self.object(version: $0, name: $1, appliedAt: $2) })),
            ("adoption", .string(summary.adoption.rawValue)),
            ("volume", .string(volume?.name)),
        ]
    }

    private static func object(version: Int, name: String, appliedAt: Timestamp) -> JSON {
        .object([
            "version": .integer(version), "name": .string(name),
            "applied_at": .string(DateText.iso8601(appliedAt)),
        ])
    }
}
