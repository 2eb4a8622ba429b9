/// A value for a parameter of a statement.
package protocol Bindable {
    func bind(to statement: Statement, at index: Int32) throws(SQLiteError)
}

extension Int64: Bindable {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(self, at: index) }
}

extension Int: Bindable {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(Int64(self), at: index) }
}

/// Binds the bits, because SQLite has no unsigned integers.
extension UInt64: Bindable {
    package func bind(to statement: Statement, at index: Int32) {
        statement.bind(Int64(bitPattern: self), at: index)
    }
}

extension Bool: Bindable {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(self ? 1 : 0, at: index) }
}

extension String: Bindable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension [UInt8]: Bindable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

/// Binds NULL for nil.
extension Optional: Bindable where Wrapped: Bindable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        guard let self else { return statement.bind(Int64?.none, at: index) }
        try self.bind(to: statement, at: index)
    }
}
