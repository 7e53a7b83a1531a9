import Cabinet

extension TransactionStarter {
    /// The largest number of databases that one statement asks for.
    private static let numbersLimit = 1000

    /// Returns the numbers of writes of databases; those that were never written are missing.
    func numbers(of databases: [DatabaseKey], on connection: Connection) async throws -> [DatabaseKey: Int64] {
        var numbers: [DatabaseKey: Int64] = [:]
        for part in databases.parts(of: Self.numbersLimit) {
            let names = part.map(\.storedName)
            do {
                // Two statements: on Citus, the directory lies on the coordinator, and the numbers lie on the workers.
                let known = try await connection.answer(
                    "SELECT id FROM \(schemaCache.schema.quoted).cabinet_database WHERE name = ANY($1::text[])",
                    [.texts(names)])
                let found = try await connection.answer(
                    """
                    SELECT name, writes FROM \(schemaCache.schema.quoted).cabinet_state \
                    WHERE database = ANY($1::bigint[])
                    """, [.integers(known.rows.map { $0.integer(0) })])
                for row in found.rows {
                    if let key = row.text(0).flatMap(DatabaseKey.init(storedName:)) { numbers[key] = row.integer(1) }
                }
            } catch let failure as PostgresFailure where failure.isMissingTable {
                return [:]
            }
        }
        return numbers
    }
}
