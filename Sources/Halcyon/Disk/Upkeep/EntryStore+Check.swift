internal import Foundation
internal import HalcyonSQLite

/// Compares rows with files, and totals with sums.
extension EntryStore {
    /// Compares rows with files in both directions and totals with sums, and checks the index itself.
    ///
    /// Safe while other threads and processes use the cache: it confirms each finding under the write lock, in bounded batches.
    /// With `repair`, it removes orphans and leftovers, deletes rows without their blob, and recounts the totals; it changes nothing if the
    /// index has integrity findings. Reads every row and calls `stat` for every file.
    ///
    /// - Parameter progress: called between batches with the number of rows and files examined so far. If it throws, the check
    ///   ends, and the repairs made so far remain.
    func checkOnce(repair: Bool, progress: (Int) throws -> Void) throws -> CheckReport {
        recorder.flushAccessLog()
        unlinker.finish()
        var report = CheckReport()
        report.isAdopting = condition.isAdopting
        report.integrityFindings = try index.readAtLength { try EntryIndex.findings(in: $0.connection) }
        // A damaged page may lack rows, whose files would be removed. The caller replaces the index.
        if repair, !report.integrityFindings.isEmpty { return report }
        var seen = 0
        try checkDetached(repair: repair, &report)
        func didSee(_ count: Int) throws {
            seen += count
            try progress(seen)
        }
        try checkRows(repair: repair, &report, didSee)
        try checkFiles(repair: repair, &report, didSee)
        try checkTotals(repair: repair, &report)
        report.isRepaired = repair
        return report
    }

    // MARK: Rows

    private func checkRows(repair: Bool, _ report: inout CheckReport, _ didSee: (Int) throws -> Void) throws {
        try forEachEntryPage { entries in
            let suspicious = try entries.filter { try !isIntact($0) }
            if !suspicious.isEmpty { try confirm(suspicious.map(\.id), repair: repair, &report) }
            try didSee(entries.count)
        }
    }

    /// True also for two kinds of entries that need no repair. The sweep drops an entry that a power cut may have spoiled. A lookup
    /// recognizes a blob that was restored with its date.
    private func isIntact(_ entry: Entry) throws -> Bool {
        guard entry.isReadable, condition.trusts(entry) else { return entry.isReadable }
        return try blobs.status(of: entry.name).map { isBlob(of: entry, $0) || settler.isCopy(of: entry, $0) } ?? false
    }

    /// Looks again under the write lock, so that no store is between its steps.
    private func confirm(_ ids: [Int64], repair: Bool, _ report: inout CheckReport) throws {
        var found = report
        try forEachBatch(in: ids, didCommit: { _ in report = found }) { session, batch in
            found = report
            // A repair settles each name itself.
            let detached = try repair ? [] : DetachedBlob.Place.allCases.flatMap(blobs.detached(in:))
            for id in batch { try confirm(id, besides: detached, repair: repair, in: session, &found) }
        }
    }

    private func confirm(
        _ id: Int64, besides detached: [DetachedBlob], repair: Bool, in session: IndexSession,
        _ report: inout CheckReport
    ) throws {
        guard let entry = try session.entry(id: id), try !isIntact(entry) else { return }
        guard entry.isReadable else {
            report.unreadableRows.append(id)
            if repair { try session.delete(id: id) }
            return
        }
        // A row whose blob an interrupted operation has left in trash/ or staging/ is sound: readers look there, and the sweep puts
        // the blob back.
        let isDetached = try detached.contains { try $0.rowID == id && isBlob(of: entry, blobs.status(of: $0)) }
        guard !isDetached else { return }
        let file = try repair ? settler.settle(entry.name, entry: entry) : blobs.status(of: entry.name)
        note(entry, file, in: &report)
        guard repair, !isBlob(of: entry, file) else { return }
        try session.delete(id: id)
        if file != nil, !blobs.isAmbiguous(entry.name) { try? blobs.unlink(entry.name) }
    }

    private func note(_ entry: Entry, _ file: FileStatus?, in report: inout CheckReport) {
        switch file {
        case .none: report.dangling.append(entry.name.text)
        case .some(let file) where file.kind != .regular: report.dangling.append(entry.name.text)
        case .some(let file) where file.size != entry.size: report.wrongLengths.append(entry.name.text)
        case .some: report.wrongInodes.append(entry.name.text)
        }
    }

    // MARK: Files

    private func checkFiles(repair: Bool, _ report: inout CheckReport, _ didSee: (Int) throws -> Void) throws {
        let isHashed = condition.settings.namesAreHashed
        func canBeBlob(_ name: BlobName) -> Bool { BlobName.isBlobOrLegacyName(name.text, isHashed: isHashed) }
        let size = environment.tuning.flushBatchSize
        try forEachNameBatch(of: size, where: { $0 != BlobStore.metadataFolder }) { names in
            // With other settings, it may be an entry.
            report.foreignFiles += try index.read { session in
                try names.filter { try !canBeBlob($0) && !hasRow($0, in: session) }.map(\.text)
            }
            try checkFiles(names.filter(canBeBlob), repair: repair, &report)
            try didSee(names.count)
        }
    }

    private func checkFiles(_ names: [BlobName], repair: Bool, _ report: inout CheckReport) throws {
        let withoutRow = try index.read { session in try names.filter { try !hasRow($0, in: session) } }
        guard !withoutRow.isEmpty else { return }
        var found = report
        try forEachBatch(in: withoutRow, didCommit: { _ in report = found }) { session, batch in
            found = report
            for name in batch {
                guard try !hasRow(name, in: session), let file = try blobs.status(of: name) else { continue }
                // Under the lock: afterwards an adoption may end that has made this file an entry.
                if file.kind != .regular {
                    found.foreignFiles.append(name.text)
                } else if !condition.adopts(file, named: name) {
                    found.orphans.append(name.text)
                }
            }
        }
        guard repair else { return }
        // Looks at each again.
        let failure = try settler.removeFilesWithoutRow(
            withoutRow, changedUntil: Timestamp(Date()), sparesAdoptable: true)
        if let failure { throw failure }
    }

    // MARK: Leftovers and totals

    private func checkDetached(repair: Bool, _ report: inout CheckReport) throws {
        report.trashed = try blobs.detached(in: .trash).count
        for blob in try blobs.detached(in: .staging) {
            if let file = try blobs.status(of: blob), settler.isLeftOver(blob, file) { report.staleStaged += 1 }
        }
        if repair { try settler.settleDetached() }
    }

    private func checkTotals(repair: Bool, _ report: inout CheckReport) throws {
        // Rows change meanwhile, so both come from one read transaction. Counting takes long, so it takes no write lock.
        (report.noted, report.counted) = try index.readAtLength { session in
            (try session.notedTotals() ?? Totals(entries: 0, bytes: 0), try session.countedTotals())
        }
        guard repair else { return }
        try settler.recountTotals()
        try index.write { session in
            try session.repairTotals()
            try session.mendStatistics()
            try session.normalizePins()
        }
    }
}
