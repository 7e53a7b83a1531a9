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
        let statement = try statements.statement(
            "SELECT type, row FROM cabinet_record WHERE recordName = ? AND zone = ?")
        defer { statement.reset() }
        try statement.bind(recordName, at: 1)
        try statement.bind(zone, at: 2)
        return try statement.step() ? (statement.int64(0), statement.int64(1)) : nil
    }
}
