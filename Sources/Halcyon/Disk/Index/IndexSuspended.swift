internal import Foundation
internal import HalcyonSQLite

/// The index is not to be opened now.
struct IndexSuspended: Error {}
