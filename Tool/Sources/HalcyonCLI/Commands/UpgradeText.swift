@_spi(HalcyonTool) internal import Halcyon

/// What an upgrade will do or has done, as text and as JSON.
struct UpgradeText {
    private let plan: UpgradePlan
    private let isDone: Bool

    init(_ plan: UpgradePlan, isDone: Bool) {
        self.plan = plan
        self.isDone = isDone
    }

    var lines: String {
        [("Schema", schema), ("Files", files), ("Left alone", foreignFiles)]
            .map { name, value in name + String(repeating: " ", count: 12 - name.count) + value }
            .joined(separator: "\n")
    }

    private var schema: String {
        if plan.isTooNew {
            return "version \(plan.schemaVersion ?? 0) is newer than this tool supports; use "
                + "a newer version of the tool"
        }
        guard !plan.migrations.isEmpty else { return "version \(plan.schemaVersion ?? plan.newestVersion), up to date" }
        let from = plan.schemaVersion.map { "version \($0)" } ?? "no index"
        let verb = isDone ? "applied" : "would apply"
        return "\(from) to version \(plan.newestVersion): \(verb) \(plan.migrations.joined(separator: ", "))"
    }

    private var files: String {
        if plan.isTooNew { return Count.files(plan.blobs + plan.legacyBlobs) }
        guard plan.isAdopting else {
            return "\(Count.files(plan.blobs + plan.legacyBlobs)), all taken over already"
        }
        let legacy = plan.legacyBlobs > 0 ? ", \(plan.legacyBlobs) of them with names of Kingfisher 7" : ""
        return "\(Count.files(plan.blobs + plan.legacyBlobs)) \(isDone ? "taken over" : "to be taken over")\(legacy)"
    }

    private var foreignFiles: String {
        plan.foreignFiles == 0 ? "nothing" : "\(Count.files(plan.foreignFiles)) with other names"
    }

    var object: JSON {
        .object([
            "done": .bool(isDone), "schema_version": plan.schemaVersion.map { .integer($0) } ?? .null,
            "newest_version": .integer(plan.newestVersion), "migrations": .array(plan.migrations.map { .string($0) }),
            "too_new": .bool(plan.isTooNew), "adopting": .bool(plan.isAdopting), "blobs": .integer(plan.blobs),
            "legacy_blobs": .integer(plan.legacyBlobs), "foreign_files": .integer(plan.foreignFiles),
        ])
    }
}
