import Cabinet
import SQLSupport
import Synchronization

/// Which tables a file has, as of one version of its schema.
struct Catalog: Sendable {
    /// SQLite's number of the schema, which every change of a table increases, in whichever process; -1 if it is not
    /// known.
    var version: Int64
    private(set) var tablesByType: [Record.RecordType: Table] = [:]
    private(set) var tablesByID: [Int64: Table] = [:]
    private(set) var schema = StoredSchema()

    /// Whether the file is not a store yet: it is empty.
    private(set) var isEmptyFile: Bool

    /// What is known before anything was read.
    static let empty = Catalog(version: -1, isEmptyFile: true)

    init(version: Int64, isEmptyFile: Bool) {
        self.version = version
        self.isEmptyFile = isEmptyFile
    }

    /// All tables, in the order in which they were made.
    var tables: [Table] { tablesByID.values.sorted { $0.id < $1.id } }

    /// Adds a table, or replaces the table of the same record type.
    mutating func insert(_ table: Table) {
        tablesByType[table.recordType] = table
        tablesByID[table.id] = table
        schema.recordTypes[table.recordType] = table.fields.types
        schema.indexes[table.recordType] = table.indexes.isEmpty ? nil : table.indexes
    }
}

/// The newest catalog that was loaded, for all connections of a file.
final class SchemaCache: Sendable {
    private let latest = Mutex<Catalog?>(nil)

    /// The catalog of a version of the schema, if it is the newest known.
    func catalog(version: Int64) -> Catalog? {
        latest.withLock { $0?.version == version ? $0 : nil }
    }

    /// Keeps a catalog that was read from committed tables.
    func offer(_ catalog: Catalog) {
        latest.withLock { latest in
            if catalog.version > latest?.version ?? -1 { latest = catalog }
        }
    }
}
