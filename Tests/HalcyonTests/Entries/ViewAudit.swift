import Foundation
import HalcyonSQLite
import HalcyonTestSupport
import Testing

@testable import Halcyon

extension CacheFixture {
    /// Requires that queries by host or processor match the index's views.
    func requireViews(_ about: String = "", _ location: SourceLocation = #_sourceLocation) throws {
        // Lookups may have recorded something that is not written yet.
        settle()
        _ = try storage.totals(matching: .init(minimumSize: 0))
        let view = try Connection(path: index.path, access: .queryOnly)
        for host in try view.texts("SELECT DISTINCT host FROM cache_entries WHERE host IS NOT NULL") {
            let found = try storage.allKeys(.init(host: host))
            let shown = try view.keys("SELECT coalesce(key, '') FROM cache_entries WHERE host = ?1", host)
            #expect(found == shown, "\(about)", sourceLocation: location)
        }
        for processor in try view.texts("SELECT DISTINCT processor FROM cache_entries WHERE processor IS NOT NULL") {
            let found = try storage.allKeys(.init(processorIdentifier: processor))
            let shown = try view.keys("SELECT coalesce(key, '') FROM cache_entries WHERE processor = ?1", processor)
            #expect(found == shown, "\(about)", sourceLocation: location)
        }
    }
}

extension DiskStorage.Backend<Data> {
    fileprivate func allKeys(_ filter: EntryFilter) throws -> [String] {
        try entries(matching: filter, limit: .max).entries.map { $0.key ?? "" }.sorted(by: areInOrder)
    }
}

extension Connection {
    fileprivate func keys(_ sql: StaticString, _ name: String) throws -> [String] {
        try texts(sql, name).sorted(by: areInOrder)
    }
}

private func areInOrder(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}
