extension EntryStore {
    /// Notes attributes of an entry; returns false if there is none.
    ///
    /// - Parameter change: called under the write lock with what is known; returns what to note.
    func update(
        _ name: BlobName, _ change: (EntryRecord) throws -> DiskStorage.EntryAttributes
    ) throws -> Bool {
        try index.openForChange()
        let isThere: Void? = try againIfReplaced {
            try adopter.adoptAhead(name.withFormer)
            recorder.flushAccessLog()
            Reclaimer(folder: folder).finishBeforeChange(adopter)
            return try index.write(.withoutReserve) { session in
                guard let record = try record(of: name, in: session) else { return nil }
                let attributes = try change(record)
                // With what stays of the record: the limit is that of both.
                var whole = attributes
                if attributes.metadata != nil { whole.validators = attributes.validators ?? record.validators }
                if attributes.validators != nil { whole.metadata = attributes.metadata ?? record.metadata }
                try whole.validate()
                return try session.note(attributes, of: record.entry)
            }
        }
        return isThere != nil
    }
}
