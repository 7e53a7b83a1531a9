import Cabinet
import SQLSupport

/// Missing tables, columns and indexes that a transaction needs.
///
/// They are created in a short transaction of their own, which holds the necessary locks only briefly. Then the transaction
/// that needs them is rolled back and run again. So other writers never wait for a long transaction that has changed a table,
/// and readers do not wait at all.
struct MissingSchema: Error, Sendable {
    /// The record type.
    let recordType: Record.RecordType
    /// The schema of this type, whose fields its table must have columns for.
    let schema: DatabaseSchema
    /// Whether the table must have the indexes of the schema, too.
    let makesIndexes: Bool

    init(_ recordType: Record.RecordType, of schema: DatabaseSchema, makesIndexes: Bool = false) {
        self.recordType = recordType
        self.schema = schema.only(recordType)
        self.makesIndexes = makesIndexes
    }
}

/// A missing row of `cabinet_schema` that a transaction needs.
///
/// It is added in a transaction of its own, because the transaction that needs it may change only the rows of one database. Rows
/// never change, so an unused one is harmless.
struct MissingSchemaRow: Error, Sendable {
    let content: String

    /// The limit of schemas with the same digest, which practically never occur.
    static let mostDigests = 8

    /// Returns the digest of a schema's text, by which its row is found.
    ///
    /// - Parameters:
    ///   - content: The text of the schema.
    ///   - attempt: The number of other schemas with the same digest.
    static func digest(of content: String, attempt: Int) -> String {
        "\(SQLName.digest(content))-\(content.utf8.count)-\(attempt)"
    }

    /// Adds the row, unless another process has added it.
    func add(on connection: Connection, in schema: SchemaName) throws {
        let table = "\(schema.quoted).cabinet_schema"
        for attempt in 0..<Self.mostDigests {
            let digest = SQLValue.text(Self.digest(of: content, attempt: attempt))
            try connection.enqueue(
                "INSERT INTO \(table) (digest, content) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
                [digest, .text(content)])
            let found = try connection.query("SELECT content FROM \(table) WHERE digest = $1", [digest])
            if found.first?.text(0).map({ $0.utf8.elementsEqual(content.utf8) }) == true { return }
        }
        throw PostgresFailure.damaged("cabinet_schema does not accept rows")
    }
}
