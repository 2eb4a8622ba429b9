import Foundation
import Testing

/// What the App Store requires of a library that calls certain functions.
@Suite struct PrivacyManifestTests {
    private static let sources = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Sources")
        .standardizedFileURL

    /// Functions of Apple's list of required-reason API, by category, without names that cannot mean them in this code.
    private static let categories = [
        "FileTimestamp": [
            "stat", "fstat", "fstatat", "lstat", "getattrlist", "fgetattrlist", "getattrlistat", "getattrlistbulk",
            "creationDate", "modificationDate", "contentModificationDateKey", "creationDateKey", "fileModificationDate",
        ],
        "DiskSpace": [
            "statfs", "statvfs", "fstatfs", "fstatvfs", "systemFreeSize", "systemSize", "volumeAvailableCapacityKey",
            "volumeAvailableCapacityForImportantUsageKey", "volumeAvailableCapacityForOpportunisticUsageKey",
            "volumeTotalCapacityKey",
        ],
        "SystemBootTime": ["systemUptime", "mach_absolute_time"],
        "ActiveKeyboards": ["activeInputModes"],
        "UserDefaults": ["UserDefaults"],
    ]

    private func declaredReasons() throws -> [String: [String]] {
        let data = try Data(contentsOf: Self.sources.appendingPathComponent("Halcyon/PrivacyInfo.xcprivacy"))
        let manifest = try #require(
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
        #expect((manifest["NSPrivacyCollectedDataTypes"] as? [Any])?.isEmpty == true)
        let types = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        return try types.reduce(into: [:]) { reasons, type in
            let category = try #require(type["NSPrivacyAccessedAPIType"] as? String)
            reasons[category] = type["NSPrivacyAccessedAPITypeReasons"] as? [String]
        }
    }

    /// The code of the library and of the C functions it calls, without comments.
    private func code() throws -> String {
        try ["Halcyon", "HalcyonSQLite", "CSystem"].flatMap { folder in
            let files = FileManager.default.enumerator(atPath: Self.sources.appendingPathComponent(folder).path)
            return try (files?.compactMap { $0 as? String } ?? []).filter {
                $0.hasSuffix(".swift") || $0.hasSuffix(".c")
            }
            .map { try String(contentsOf: Self.sources.appendingPathComponent("\(folder)/\($0)"), encoding: .utf8) }
        }.joined().split(separator: "\n").map { $0.prefix { $0 != "/" } }.joined(separator: "\n")
    }

    @Test func `the manifest has a reason for each kind of function that is called, and for no other`() throws {
        let words = Set(try code().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        let used = Self.categories.filter { $0.value.contains(where: words.contains) }.keys
        let reasons = try declaredReasons()
        #expect(Set(reasons.keys) == Set(used.map { "NSPrivacyAccessedAPICategory\($0)" }))
        #expect(reasons["NSPrivacyAccessedAPICategoryFileTimestamp"] == ["C617.1"])
        #expect(reasons["NSPrivacyAccessedAPICategoryDiskSpace"] == ["E174.1"])
    }
}
