import Cabinet
import SQLSupport

extension TransactionStarter {
    /// Compares the tables of records, their columns and the indexes with those that must exist, and finds rows that no
    /// transaction can reach.
    ///
    /// - Parameters:
    ///   - database: The database whose indexes and rows are checked.
    ///   - limit: The largest number of issues of each check.
    func issues(in database: DatabaseKey, on connection: Connection, limit: Int) throws -> [IntegrityIssue] {
        guard try hasLayout(on: connection) else { return [] }
        let tables = try TableInspection(of: database, in: schemaCache, on: connection)
        var issues = IssueList(limit: limit, store: "PostgreSQL schema \(schemaCache.schema.name)")
        issues.compare(tables.columns, with: tables.neededColumns)
        try issues.check("its indexes") { issues in
            for index in tables.missingIndexes { issues.add("the \(index.description) is missing", "", true) }
            for index in try tables.interruptedIndexes(in: schemaCache, on: connection) {
                issues.add("the \(index.description) is incomplete", "", true)
            }
        }
        try StrayRows(of: database, in: schemaCache, on: connection).check(tables.intactTables, &issues)
        return issues.found
    }

    /// Creates the indexes that ``issues(in:on:limit:)`` reports.
    func createMissingIndexes(
        of database: DatabaseKey, on connection: Connection, _ configuration: PostgresConfiguration
    ) throws {
        guard try hasLayout(on: connection) else { return }
        let tables = try TableInspection(of: database, in: schemaCache, on: connection)
        for index in try tables.missingIndexes + tables.interruptedIndexes(in: schemaCache, on: connection) {
            try connection.create(index, in: schemaCache, configuration: configuration)
        }
    }
}
