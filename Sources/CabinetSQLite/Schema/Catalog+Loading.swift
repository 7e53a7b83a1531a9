import CSQLite
import Cabinet
import Foundation
import SQLSupport

extension Catalog {
    /// Reads the tables of a file.
    ///
    /// - Parameters:
    ///   - connection: A connection with an active transaction.
    ///   - version: The version of the schema in this transaction.
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if the file is not Cabinet's,
    ///   ``/Cabinet/CabinetError/Code/incompatibleVersion`` if it has another layout.
    init(loadingFrom connection: Connection, version: Int64) throws {
        let layout = try Self.layout(of: connection)
        self.init(version: version, isEmptyFile: layout == nil, layout: layout ?? Layout.version)
        if layout == nil { return }
        let columns = try Self.columns(connection)
        let indexes = try Self.indexes(connection)
        // A virtual table has no root page.
        let virtualTables = try Self.names("name", connection, where: "type = 'table' AND rootpage = 0")
        let zoned = try Self.names("tbl_name", connection, where: "type = 'index' AND name GLOB 'cabinet_zone_*'")
        let types = try connection.statements.statement(
            "SELECT id, name, tableName FROM cabinet_record_type ORDER BY id")
        defer { types.reset() }
        while try types.step() {
            let id = types.int64(0)
            guard let recordType = types.string(1), let name = types.string(2) else {
                throw SQLiteFailure.damaged(path: connection.path, "row \(id) of cabinet_record_type has no names")
            }
            let table = Table(
                TableDefinition(
                    id: id, recordType: recordType, name: name, columns: columns[id] ?? [],
                    indexes: indexes[id] ?? []), virtualTables: virtualTables)
            insert(zoned.contains(table.name) ? table.withZoneIndex : table)
        }
    }

    /// Checks that a file is Cabinet's, and has a layout that can be read.
    ///
    /// - Returns: The version of the layout; `nil` if the file is empty.
    private static func layout(of connection: Connection) throws -> Int64? {
        let application = try connection.number("PRAGMA application_id") ?? 0
        guard application == Layout.applicationID else {
            let isEmpty = try application == 0 && connection.number("SELECT 1 FROM sqlite_master LIMIT 1") == nil
            if isEmpty { return nil }
            throw CabinetError(
                .badContainer,
                "The file \(connection.path) is an SQLite database of another program. Choose another directory for the store."
            ).ofStore
        }
        let version = try connection.number("PRAGMA user_version") ?? 0
        guard (Layout.oldestVersion...Layout.version).contains(version) else {
            let advice =
                version < Layout.oldestVersion
                ? "A development version wrote it: copy its records into a new store with that version."
                : "Use the version of Cabinet that wrote it, or a newer one."
            throw CabinetError(
                .incompatibleVersion,
                "The store's file \(connection.path) has layout \(version), and this version of Cabinet reads layout "
                    + "\(Layout.version). \(advice)")
        }
        return version
    }

    private static func columns(_ connection: Connection) throws -> [Int64: [Table.Column]] {
        let fields = try connection.statements.statement(
            "SELECT recordType, name, type, columnName FROM cabinet_field ORDER BY rowid")
        defer { fields.reset() }
        var columns: [Int64: [Table.Column]] = [:]
        while try fields.step() {
            let recordType = fields.int64(0)
            guard let field = fields.string(1), let name = fields.string(3),
                let type = fields.string(2).flatMap(FieldType.init)
            else {
                throw SQLiteFailure.damaged(
                    path: connection.path,
                    "cabinet_field has a row for record type \(recordType) without a name or with an unknown type")
            }
            columns[recordType, default: []].append(Table.Column(field: field, type: type, name: name))
        }
        return columns
    }

    private static func indexes(_ connection: Connection) throws -> [Int64: Set<StoredIndex>] {
        let rows = try connection.statements.statement("SELECT recordType, kind, fields FROM cabinet_index")
        defer { rows.reset() }
        var indexes: [Int64: Set<StoredIndex>] = [:]
        while try rows.step() {
            let recordType = rows.int64(0)
            guard let kind = rows.string(1), let fields = rows.string(2),
                let keys = try? JSONDecoder().decode([Record.FieldKey].self, from: Data(fields.utf8)),
                let index = StoredIndex(kind: kind, fields: keys)
            else {
                throw SQLiteFailure.damaged(
                    path: connection.path,
                    "cabinet_index has a row for record type \(recordType) of an unknown kind or without fields")
            }
            indexes[recordType, default: []].insert(index)
        }
        return indexes
    }

    /// Returns the names of the tables or indexes that meet a condition, or of the indexes' tables.
    private static func names(
        _ column: String, _ connection: Connection, where condition: String
    ) throws -> Set<String> {
        let rows = try connection.statements.statement("SELECT \(column) FROM sqlite_master WHERE \(condition)")
        defer { rows.reset() }
        var names: Set<String> = []
        while try rows.step() {
            if let name = rows.string(0) { names.insert(name) }
        }
        return names
    }
}
