import Cabinet
import SQLSupport

/// The schema of a database, and the tables and columns that hold its records.
///
/// It is derived from a row of `cabinet_schema`. Such a row never changes, and so a catalog never changes.
struct Catalog: Sendable {
    /// The number of the schema's row; 0 for a database without record types.
    let id: Int64
    let content: DatabaseSchema
    /// The record types that have another name than the registered one, by the latter.
    private let renamedTypes: [String: Record.RecordType]
    /// The tables of the schema's record types.
    let tablesByType: [Record.RecordType: Table]
    /// The tables, in the order of their creation.
    let tables: [Table]
    /// The statements' tables for looking up records of all types, with all fields, by ID.
    let lookups: [LookupTables]

    /// The catalog of a database without record types.
    static let empty = Catalog(id: 0, content: DatabaseSchema(), tables: [])

    init(id: Int64, content: DatabaseSchema, tables: [Table]) {
        self.id = id
        self.content = content
        renamedTypes = content.recordTypesByRegisteredName()
        self.tables = tables.sorted { $0.id < $1.id }
        lookups = LookupTables.groups(of: self.tables, keys: nil)
        tablesByType = Dictionary(tables.map { ($0.recordType, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var schema: StoredSchema { content.schema }

    /// Returns the record type with a registered name.
    func recordType(registeredAs name: String) -> Record.RecordType { renamedTypes[name] ?? name }
}
