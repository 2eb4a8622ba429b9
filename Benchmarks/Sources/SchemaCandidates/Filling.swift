/// Bytes per entry of the index file, at two points of its life.
struct FileSize {
    /// Every row stored once, in the order of time: the LRU index has only ever grown at its end.
    let filled: Double
    /// As many touches of random rows as there are rows: holes everywhere in the LRU index.
    let touched: Double
}

/// Makes the index that every round starts from.
///
/// How pages split depends on the order of the rows and not on where transactions end, so this goes without a
/// journal and with a large page cache, and the file is as in life.
struct Filling {
    let candidate: Candidate
    let rows: Int

    func make(at path: String) throws -> FileSize {
        try Database(path: path).execute(candidate.schema)
        let index = try Index(candidate, path: path, settings: Index.forFilling)
        try fill(index)
        let filled = try bytesPerEntry(index)
        try touch(index)
        let touched = try bytesPerEntry(index)
        return FileSize(filled: filled, touched: touched)
    }

    private func fill(_ index: Index) throws {
        try inChunks(of: index) { number in
            let entry = Entry(number: number)
            try index.store(entry, name: candidate.name(of: entry))
        }
    }

    private func touch(_ index: Index) throws {
        var random = Randomness(seed: 1)
        try inChunks(of: index) { number in
            let entry = Entry(number: random.below(rows))
            let time = Entry.time(of: rows + number)
            try index.touch(entry, name: candidate.name(of: entry), at: time, extending: false)
        }
    }

    private func inChunks(of index: Index, _ body: (Int) throws -> Void) throws {
        let chunk = 50_000
        for start in stride(from: 0, to: rows, by: chunk) {
            try index.transaction { for number in start..<min(start + chunk, rows) { try body(number) } }
        }
    }

    private func bytesPerEntry(_ index: Index) throws -> Double {
        let bytes = try index.writer.integer("PRAGMA page_count") * index.writer.integer("PRAGMA page_size")
        return Double(bytes) / Double(rows)
    }
}
