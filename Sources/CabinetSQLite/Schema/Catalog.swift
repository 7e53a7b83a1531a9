import Cabinet
import SQLSupport
import Synchronization

/// The tables of a file in one version of its schema.
struct Catalog: Sendable {
    /// SQLite's version of the schema, which every change of a table by any process increases; -1 if it is unknown.
    var version: Int64
    private(set) var tablesByType: [Record.RecordType: Table] = [:]
    private(set) var tablesByID: [Int64: Table] = [:]
    private(set) var schema = StoredSchema()

    /// Whether the file is empty, so that it is not a store yet.
    private(set) var isEmptyFile: Bool

    /// The version of the file's layout.
    var layout: Int64

    /// The catalog before the first read.
    static let empty = Catalog(version: -1, isEmptyFile: true)

    init(version: Int64, isEmptyFile: Bool, layout: Int64 = Layout.version) {
        self.version = version
        self.isEmptyFile = isEmptyFile
        self.layout = layout
    }

    /// All tables, in the order of their creation.
    var tables: [Table] { tablesByID.values.sorted { $0.id < $1.id } }

    /// Removes the table of a record type.
    mutating func remove(_ table: Table) {
        tablesByType[table.recordType] = nil
        tablesByID[table.id] = nil
        schema.remove(SchemaPart(table.recordType))
    }

    /// Adds a table, or replaces the one with the same number.
    mutating func insert(_ table: Table) {
        if let old = tablesByID[table.id], old.recordType != table.recordType {
            tablesByType[old.recordType] = nil
            schema.recordTypes[old.recordType] = nil
            schema.indexes[old.recordType] = nil
        }
        tablesByType[table.recordType] = table
        tablesByID[table.id] = table
        schema.recordTypes[table.recordType] = table.fields.types
        schema.indexes[table.recordType] = table.indexes.isEmpty ? nil : table.indexes
    }
}

/// The newest loaded catalog, shared by all connections of a file.
final class SchemaCache: Sendable {
    private let latest = Mutex<Catalog?>(nil)

    /// Returns the catalog of a version of the schema, if it is cached.
    func catalog(version: Int64) -> Catalog? {
        latest.withLock { $0?.version == version ? $0 : nil }
    }

    /// Caches a catalog of committed tables.
    func offer(_ catalog: Catalog) {
        latest.withLock { latest in
            if catalog.version > latest?.version ?? -1 { latest = catalog }
        }
    }
}
