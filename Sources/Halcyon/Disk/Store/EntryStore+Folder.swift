extension EntryStore {
    /// Closes the index and removes the directory if nothing else is in it. Does nothing more than closing if another process has
    /// the cache open: the last one to close removes the write-ahead log. On a volume without a log that is not known, so it only closes.
    func removeFolder() {
        close()
        guard index.hasLog, (try? environment.fileSystem.status(at: blobs.indexPath + "-wal")) == nil else { return }
        try? environment.fileSystem.unlink(blobs.indexPath)
        for place in DetachedBlob.Place.allCases {
            try? environment.fileSystem.removeDirectory(blobs.path(of: place))
        }
        try? environment.fileSystem.removeDirectory(blobs.metadataDirectory)
        try? environment.fileSystem.removeDirectory(blobs.directory)
    }
}
