import Cabinet
import SQLSupport

/// What a database's schema is, and which tables and columns hold its records.
///
/// It is made from a row of `cabinet_schema`, which never changes, and so never changes itself.
struct Catalog: Sendable {
    /// The number of the schema's row; 0 for the schema of a database without a type.
    let id: Int64
    let schema: StoredSchema
    /// The tables of the record types that the schema has.
    let tablesByType: [Record.RecordType: Table]
    /// The tables, in the order in which they were made.
    let tables: [Table]
    /// How records of all types, with all fields, are looked up by their IDs.
    let lookups: [LookupTables]

    /// The catalog of a database that has no type.
    static let empty = Catalog(id: 0, schema: StoredSchema(), tables: [])

    init(id: Int64, schema: StoredSchema, tables: [Table]) {
        self.id = id
        self.schema = schema
        self.tables = tables.sorted { $0.id < $1.id }
        lookups = LookupTables.groups(of: self.tables, keys: nil)
        tablesByType = Dictionary(tables.map { ($0.recordType, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
