import Cabinet

extension TransactionStarter {
    /// The largest number of databases that one statement asks for.
    private static let numbersLimit = 1000

    /// Returns the numbers of writes of databases; those that were never written are missing.
    func numbers(of databases: [DatabaseKey], on connection: Connection) throws -> [DatabaseKey: Int64] {
        let table = "\(catalogs.schema.quoted).cabinet_database"
        var numbers: [DatabaseKey: Int64] = [:]
        for start in stride(from: 0, to: databases.count, by: Self.numbersLimit) {
            let names = databases[start..<min(start + Self.numbersLimit, databases.count)].map(\.storedName)
            do {
                let found = try connection.query(
                    "SELECT name, writes FROM \(table) WHERE name = ANY($1::text[])", [.texts(names)])
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
