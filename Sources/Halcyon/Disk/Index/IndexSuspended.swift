/// The index is suspended and must not be opened.
struct IndexSuspended: Error {}
