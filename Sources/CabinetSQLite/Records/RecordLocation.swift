import Cabinet

/// The location of a record: its table and row.
struct RecordLocation {
    let table: Table
    let row: Int64
}

extension Connection {
    /// Returns the table and the row of a record by its ID.
    ///
    /// - Parameter zone: The number of the record's zone.
    func location(of recordName: String, zone: Int64) throws -> (table: Int64, row: Int64)? {
        try locatingStatement().location(of: recordName, zone: zone)
    }

    /// Returns the statement that finds the location of a record.
    func locatingStatement() throws -> Statement {
        try statements.statement("SELECT type, row FROM cabinet_record WHERE recordName = ? AND zone = ?")
    }
}

extension Statement {
    /// Runs ``Connection/locatingStatement()``.
    func location(of recordName: String, zone: Int64) throws -> (table: Int64, row: Int64)? {
        defer { reset() }
        try bind(recordName, at: 1)
        try bind(zone, at: 2)
        return try step() ? (int64(0), int64(1)) : nil
    }
}
