package import Cabinet

/// Migrations whose result shows if a batch was done twice, or not at all.
package enum MigrationWorkload {
    /// The identifier of the container.
    package static let identifier = "org.cabinet.migrations"

    /// The migrations, which have no step that can be repeated without a trace.
    package static let migrations = [
        Migration(
            "numbers", .renameField("n", to: "number", of: "Items"), doubling("Items"),
            .changeField("number", of: "Items", to: .double), doubling("Items"),
            .changeField("x", of: "Items", to: .double)),
        Migration(
            "names", .renameRecordType("Items", to: "Things"),
            .forEachRecord(of: "Things") { thing in
                let name: String? = thing["name"]
                thing["title"] = (thing["title"] ?? "") + (name ?? "?")
                thing["name"] = nil
            }, .drop(SchemaPart("Things", "name")), doubling("Things")),
    ]

    private static func doubling(_ recordType: Record.RecordType) -> Migration.Step {
        .forEachRecord(of: recordType) { record in
            let number: Double? = record["number"]
            record["x"] = (record["x"] ?? 1.0) * 2 + (number ?? 0)
        }
    }

    /// Saves the records before the migrations.
    package static func fill(_ database: Database, count: Int) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            let records = (start..<min(start + 500, count)).map { number in
                var record = Record(recordType: "Items", recordID: RecordID(recordName: "item-\(number)"))
                record["n"] = number % 7
                record["x"] = number % 3
                record["name"] = "Item \(number)"
                return record
            }
            _ = try await database.save(records)
        }
    }

    /// The content of all records after the migrations, in lines.
    package static func content(of database: Database) async throws -> [String] {
        try await database.allRecords(matching: Query(recordType: "Things")).map { record in
            let fields = ["number", "x", "title", "name", "n"].map { key in
                record[key].map { "\(key): \($0)" } ?? ""
            }
            return "\(record.recordID.recordName) \(fields.joined(separator: " "))"
        }.sorted()
    }
}
