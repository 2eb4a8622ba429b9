/// A file in `staging/` or `trash/`, named `<row id>.<token>`.
package struct DetachedBlob: Hashable, Sendable {
    package enum Place: String, Sendable, CaseIterable { case staging, trash }

    package let place: Place
    package let rowID: Int64
    package let token: Int64
    let fileName: String

    package init(place: Place, rowID: Int64, token: Int64) {
        (self.place, self.rowID, self.token) = (place, rowID, token)
        fileName = String(rowID) + "." + String(token)
    }
}

extension DetachedBlob {
    /// nil for a name that is not one of ours.
    init?(fileName: String, place: Place) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let rowID = Int64(parts[0]), let token = Int64(parts[1]) else { return nil }
        self.init(place: place, rowID: rowID, token: token)
    }
}
