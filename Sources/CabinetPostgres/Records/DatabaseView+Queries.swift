import Cabinet

/// Queries that the core evaluates, over all records of a type.
extension DatabaseView {
    /// Gets one page of a query's records.
    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try plan.page(of: try allRecords(of: plan), resolving: resolver)
    }

    /// Counts a query's records, wherever the page begins and ends.
    func count(matching plan: QueryPlan) throws -> Int {
        try plan.count(in: try allRecords(of: plan), resolving: resolver)
    }

    private var resolver: CompiledFilter.Resolver {
        { [self] id in try records(for: [id], keys: nil).first ?? nil }
    }

    private func allRecords(of plan: QueryPlan) throws -> [StoredRecord] {
        guard let databaseID, let table = catalog.tablesByType[plan.recordType] else { return [] }
        var decoder = RowDecoder(table: table, keys: nil)
        let sql = "SELECT \(decoder.selection(from: "t")) FROM \(table.quoted) AS t WHERE t.\"___database\" = $1"
        var records: [StoredRecord] = []
        try forEachRow(of: sql, [.integer(databaseID)]) { row in
            records.append(try decoder.decode(row, in: self))
            return true
        }
        return records
    }
}
