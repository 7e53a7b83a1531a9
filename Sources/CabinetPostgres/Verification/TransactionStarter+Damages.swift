import Cabinet
import SQLSupport

extension TransactionStarter {
    /// Compares the tables of records, their columns and the indexes with those that must exist, and finds rows that no
    /// transaction can reach.
    ///
    /// - Parameters:
    ///   - database: The database whose indexes and rows are checked.
    ///   - limit: The largest number of issues of each check.
    func damages(in database: DatabaseKey, on connection: Connection, limit: Int) throws -> [IntegrityIssue] {
        guard try hasLayout(on: connection) else { return [] }
        let tables = try TableInspection(of: database, in: catalogs, on: connection)
        var damages = DamageList(limit: limit, store: "PostgreSQL schema \(catalogs.schema.name)")
        damages.compare(tables.columns, with: tables.neededColumns)
        try damages.check("its indexes") { damages in
            for index in tables.missingIndexes { damages.add("the \(index.description) is missing", "", true) }
            for index in try tables.interruptedIndexes(in: catalogs, on: connection) {
                damages.add("the \(index.description) is incomplete", "", true)
            }
        }
        try StrayRows(of: database, in: catalogs, on: connection).check(tables.intactTables, &damages)
        return damages.found
    }

    /// Creates the indexes that ``damages(in:on:limit:)`` reports.
    func createMissingIndexes(
        of database: DatabaseKey, on connection: Connection, _ configuration: PostgresConfiguration
    ) throws {
        guard try hasLayout(on: connection) else { return }
        let tables = try TableInspection(of: database, in: catalogs, on: connection)
        for index in try tables.missingIndexes + tables.interruptedIndexes(in: catalogs, on: connection) {
            try connection.create(index, in: catalogs, configuration: configuration)
        }
    }
}
