import Cabinet
import SQLSupport

/// An index that a table must have.
struct IndexBuild: Sendable, Hashable {
    /// The table's name.
    let table: String
    let name: String
    /// The end of the statement, after the table's name.
    let definition: String
    /// `PRIMARY KEY` or `UNIQUE`; `nil` for an index that is not a key.
    let key: String?

    init(_ name: String, on table: String, _ definition: String) {
        self.table = table
        self.name = name
        self.definition = definition
        key = nil
    }

    /// Describes a key, which any unique index of the same columns serves as.
    init(_ key: String, _ columns: [String], on table: String, name: String) {
        self.table = table
        self.name = name
        self.key = key
        definition = Self.list(columns)
    }

    /// Returns the definition of a key.
    static func list(_ columns: [String]) -> String { "(\(columns.map(SQLName.quoted).joined(separator: ", ")))" }

    /// The words for messages.
    var description: String { key == nil ? "index \(name)" : "key \(definition) of table \(table)" }

    /// Returns the qualified name of the table.
    func quotedTable(in schema: String) -> String { "\(schema).\(SQLName.quoted(table))" }

    /// Returns the statement that creates the index, which blocks writers.
    ///
    /// - Parameter schema: The quoted name of the schema.
    func creation(in schema: String) -> String {
        let (name, table) = (SQLName.quoted(name), quotedTable(in: schema))
        return key.map { "ALTER TABLE \(table) ADD CONSTRAINT \(name) \($0) \(definition)" }
            ?? "CREATE INDEX \(name) ON \(table) \(definition)"
    }

    /// Returns the statement that creates the index without blocking writers; that of a key is not a constraint yet.
    func concurrentCreation(in schema: String) -> String {
        "CREATE \(key == nil ? "" : "UNIQUE ")INDEX CONCURRENTLY \(SQLName.quoted(name)) "
            + "ON \(quotedTable(in: schema)) \(definition)"
    }
}

extension Layout {
    /// The keys and indexes of the tables in ``creation(in:)``.
    static let indexes: [IndexBuild] = {
        let primary = [
            ("cabinet_record_type", ["id"]), ("cabinet_column", ["recordType", "position"]), ("cabinet_schema", ["id"]),
            ("cabinet_database", ["id"]), ("cabinet_state", ["database"]), ("cabinet_zone", ["database", "zone"]),
            ("cabinet_entry", ["database", "key"]), ("cabinet_deletion", ["database", "zone", "sequence"]),
            ("cabinet_list_reference", ["database", "zone", "source", "field", "position"]),
            ("cabinet_asset", ["database", "checksum"]), ("cabinet_asset_part", ["database", "content", "start"]),
            ("cabinet_upload", ["database", "content"]),
            ("cabinet_asset_use", ["database", "zone", "source", "checksum"]),
        ]
        let unique = [
            ("cabinet_record_type", ["name"]), ("cabinet_record_type", ["tableName"]), ("cabinet_schema", ["digest"]),
            ("cabinet_database", ["name"]), ("cabinet_zone", ["database", "zoneName", "ownerName"]),
            ("cabinet_deletion", ["database", "zone", "recordName"]),
        ]
        return primary.map { IndexBuild("PRIMARY KEY", $1, on: $0, name: "\($0)_pkey") }
            + unique.map { IndexBuild("UNIQUE", $1, on: $0, name: "\($0)_\($1.joined(separator: "_"))_key") } + [
                IndexBuild(
                    "cabinet_list_reference_target", on: "cabinet_list_reference", "(database, zone, target)"),
                IndexBuild("cabinet_asset_content", on: "cabinet_asset", "(database, content)"),
                IndexBuild("cabinet_asset_use_checksum", on: "cabinet_asset_use", "(database, checksum)"),
            ]
    }()
}

extension PhysicalTables.Table {
    /// The primary key, with a name that no other table or index has, if it is created again.
    var key: IndexBuild {
        IndexBuild(
            "PRIMARY KEY", ["___database", "___zone", "___recordID"], on: name, name: "cabinet_key_\(id)")
    }

    /// The indexes that every table of records has.
    ///
    /// The conditions always hold. Without them, PostgreSQL would look up IDs in these indexes as long as it has no statistics
    /// of a new table. It would then scan a whole zone for each ID, because it estimates the leading columns to be selective
    /// enough.
    var generalIndexes: [IndexBuild] {
        [("change", "___etag"), ("insertion", "___insertion"), ("parent", "___parent")].map { purpose, column in
            IndexBuild(
                "cabinet_\(purpose)_\(id)", on: name,
                "(\"___database\", \"___zone\", \"\(column)\") WHERE \"\(column)\" IS NOT NULL")
        }
    }

    /// Returns the index of a field's targets; `nil` if the field is not a single reference.
    func referenceIndex(of column: PhysicalTables.Column) -> IndexBuild? {
        guard column.type == .reference else { return nil }
        let quoted = SQLName.quoted(column.name)
        return IndexBuild(
            "cabinet_reference_\(id)_\(column.position)", on: name,
            "(\"___database\", \"___zone\", \(quoted)) WHERE \(quoted) IS NOT NULL")
    }
}

extension TableIndexes {
    /// Returns the names of all indexes.
    func names(tableID: Int64) -> Set<String> {
        Set(trees.map(\.name) + (words.isEmpty ? [] : [Self.wordsName(tableID: tableID)]))
    }

    /// Returns the definitions of all indexes.
    func definitions(of table: TableDefinition) -> [IndexBuild] {
        var found = trees.map { IndexBuild($0.name, on: table.name, "(\($0.keys.joined(separator: ", ")))") }
        if !words.isEmpty {
            // Each statement of a search reads the whole list of new rows, which has 4 MB by default.
            found.append(
                IndexBuild(
                    Self.wordsName(tableID: table.id), on: table.name,
                    "USING gin (\"___words\") WITH (gin_pending_list_limit = 128)"))
        }
        return found
    }
}
