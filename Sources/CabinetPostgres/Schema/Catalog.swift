import Cabinet
import SQLSupport

/// The schema of a database, and the tables and columns that hold its records.
///
/// It is derived from a row of `cabinet_schema`. Such a row never changes, and so a catalog never changes.
struct Catalog: Sendable {
    /// The number of the schema's row; 0 for a database without record types.
    let id: Int64
    let schema: StoredSchema
    /// The tables of the schema's record types.
    let tablesByType: [Record.RecordType: Table]
    /// The tables, in the order of their creation.
    let tables: [Table]
    /// The statements' tables for looking up records of all types, with all fields, by ID.
    let lookups: [LookupTables]

    /// The catalog of a database without record types.
    static let empty = Catalog(id: 0, schema: StoredSchema(), tables: [])

    init(id: Int64, schema: StoredSchema, tables: [Table]) {
        self.id = id
        self.schema = schema
        self.tables = tables.sorted { $0.id < $1.id }
        lookups = LookupTables.groups(of: self.tables, keys: nil)
        tablesByType = Dictionary(tables.map { ($0.recordType, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
