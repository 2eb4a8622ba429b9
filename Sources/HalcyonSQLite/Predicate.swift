internal import CHalcyonSQLite

/// A condition on a row that SQL cannot express. A statement calls it as `meets(?, value, …)`, with the predicate bound to
/// the parameter.
///
/// SQLite calls it on the statement's thread while the statement runs. It must not use the connection.
package final class Predicate: Sendable {
    fileprivate let isMet: @Sendable (Values) -> Bool

    package init(_ isMet: @escaping @Sendable (Values) -> Bool) { self.isMet = isMet }

    /// The arguments after the predicate, numbered from 0. Valid only during the call.
    package struct Values {
        fileprivate let first: UnsafeMutablePointer<OpaquePointer?>

        package func optionalInteger(at index: Int) -> Int64? {
            isNull(at: index) ? nil : sqlite3_value_int64(first[index])
        }

        /// The bytes of text; nil for NULL.
        package func text(at index: Int) -> UnsafeBufferPointer<UInt8>? {
            guard !isNull(at: index), let start = sqlite3_value_text(first[index]) else { return nil }
            // Read the count after the text: `sqlite3_value_text` may convert the value and change its length.
            return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(first[index])))
        }

        private func isNull(at index: Int) -> Bool { sqlite3_value_type(first[index]) == SQLITE_NULL }
    }
}

extension Predicate {
    /// Registers `meets()` with a connection. Views and triggers cannot call it, because anyone may have written them into
    /// the file.
    static func install(on handle: OpaquePointer) throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            handle, "meets", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
            { context, count, values in
                guard count > 0, let values, let predicate = sqlite3_value_pointer(values[0], kind) else {
                    return sqlite3_result_null(context)
                }
                let isMet = Unmanaged<Predicate>.fromOpaque(predicate).takeUnretainedValue().isMet
                sqlite3_result_int(context, isMet(Values(first: values + 1)) ? 1 : 0)
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, handle: handle) }
    }
}

extension Predicate: Bindable {
    /// Binds the predicate for `meets()`, and retains it until the statement drops its values.
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        let code = sqlite3_bind_pointer(
            statement.statement, index, Unmanaged.passRetained(self).toOpaque(), kind,
            { predicate in predicate.map { Unmanaged<Predicate>.fromOpaque($0).release() } })
        try statement.check(code)
    }
}

/// The type name of the pointer. SQLite keeps the address.
nonisolated(unsafe) private let kind =
    UnsafeRawPointer(("Halcyon.Predicate" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
