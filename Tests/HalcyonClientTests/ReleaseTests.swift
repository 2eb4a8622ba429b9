import Foundation
import Halcyon
import Testing

/// The version is in one place for programs and in two for readers.
@Suite struct ReleaseTests {
    private func text(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
        return try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
    }

    @Test func `the changelog's newest release is the library's version`() throws {
        let releases = try text("CHANGELOG.md").split(separator: "\n").filter {
            $0.hasPrefix("## ") && $0 != "## Unreleased"
        }
        let newest = try #require(releases.first?.split(separator: " "))
        #expect(newest[1] == halcyonVersion)
    }

    @Test func `the README's badge shows the library's version`() throws {
        #expect(try text("README.md").contains("https://img.shields.io/badge/version-\(halcyonVersion)-"))
    }

    @Test func `the version is three numbers`() {
        let numbers = halcyonVersion.split(separator: ".", omittingEmptySubsequences: false).map { UInt($0) }
        #expect(numbers.count == 3 && !numbers.contains(nil))
    }
}
