import CSQLite
import Cabinet
import SQLSupport

/// The checks of a file below the record model: pages, tables, and derived tables.
extension Connection {
    /// Checks the file in the current transaction.
    ///
    /// - Parameter limit: The largest number of issues that each check returns.
    func damages(limit: Int) throws -> [IntegrityIssue] {
        guard !catalog.isEmptyFile else { return emptyFileDamages() }
        var damages = DamageList(limit: limit, path: path)
        try damages.check("its pages") { try checkPages(&$0) }
        try damages.check("its foreign keys") { try checkForeignKeys(&$0) }
        try damages.check("its tables") { try checkTables(&$0) }
        try damages.check("its schema") { try checkSchema(&$0) }
        for table in try intactTables() {
            try damages.check("table \(table.name)") { try checkSystemColumns(of: table, &$0) }
            try damages.check("cabinet_record") { try checkLocations(of: table, &$0) }
            try damages.check("cabinet_list_reference") { try checkListReferences(of: table, &$0) }
            try damages.check("cabinet_list_asset") { try checkListAssets(of: table, &$0) }
            if let words = table.words {
                try damages.check(words.name) { try check(words, of: table, &$0) }
            }
            for places in table.places {
                try damages.check(places.name) { try check(places, of: table, &$0) }
            }
        }
        try damages.check("derived tables") { try checkStrayEntries(&$0) }
        return damages.found
    }

    /// The tables that have all required columns.
    func intactTables() throws -> [Table] {
        try catalog.tables.filter { try missingColumns(of: $0).isEmpty }
    }

    /// Runs SQLite's check of the file's structure.
    private func checkPages(_ damages: inout DamageList) throws {
        let statement = try Statement("PRAGMA integrity_check(\(damages.limit))", on: handle)
        while try statement.step() {
            guard let message = statement.string(0), message != "ok" else { continue }
            // An index that does not match its table is rebuilt from it. Other damage affects rows.
            let isIndex = message.contains("missing from index") || message.contains("wrong # of entries in index")
            damages.add(
                message, "Restore the file from a backup, or salvage it with the sqlite3 shell's '.recover'.", isIndex)
        }
    }

    private func checkForeignKeys(_ damages: inout DamageList) throws {
        let statement = try Statement("PRAGMA foreign_key_check", on: handle)
        while try statement.step(), damages.hasRoom {
            let (table, parent) = (statement.string(0) ?? "", statement.string(2) ?? "")
            let row = statement.kind(1) == SQLITE_INTEGER ? "row \(statement.int64(1))" : "a row"
            damages.add(
                "\(row) of \(table) refers to a row of \(parent) that does not exist", "Undo the change.",
                Self.derivedTables.contains(table))
        }
    }

    /// The tables whose rows are derived from those of the record types' tables.
    private static let derivedTables: Set<String> = ["cabinet_record", "cabinet_list_reference", "cabinet_list_asset"]

    private func checkTables(_ damages: inout DamageList) throws {
        let virtual = try names(ofType: "table")
        for table in catalog.tables {
            for column in try missingColumns(of: table) {
                damages.add(
                    "table \(table.name) has no column \(column)", "Add the column, or restore a backup.", false)
            }
            let existing = try indexNames(of: table)
            for index in try expectedIndexes(of: table) where existing[index.target] == nil {
                damages.add("the index \(index.name) is missing", "", true)
            }
            let wanted = table.indexes(for: table.indexes)
            for name in wanted.places.map(\.name) + (wanted.words.map { [$0.name] } ?? [])
            where try !virtual.contains(name) && hasModule(wanted.words?.name == name ? "fts5" : "rtree") {
                damages.add("the index \(name) is missing", "", true)
            }
        }
    }

    /// Finds tables of records, and their columns, that the schema lacks, as after a deletion in its tables.
    private func checkSchema(_ damages: inout DamageList) throws {
        let advice = "Undo the change, or restore a backup; until then, nothing is repaired."
        for table in catalog.tables {
            for column in try columns(of: table.name).subtracting(Self.columns(for: table)).sorted() {
                damages.add(
                    "the schema lacks the column \(column) of table \(table.name)", advice, false, kind: .schema)
            }
        }
        for name in try names(ofType: "table").subtracting(catalog.tables.map(\.name)).sorted()
        where try columns(of: name).isSuperset(of: Layout.systemColumnNames) {
            damages.add("the schema lacks the record type of table \(name)", advice, false, kind: .schema)
        }
    }

    /// Finds the assets of records that an empty file no longer has.
    private func emptyFileDamages() -> [IntegrityIssue] {
        guard let assets = assets?.path, !AssetFile.names(in: assets).isEmpty else { return [] }
        var damages = DamageList(limit: 1, path: path)
        damages.add("the file is empty, and \(assets) has assets of records", "Restore a backup.", false, kind: .schema)
        return damages.found
    }

    /// The columns that a table needs for its fields but does not have.
    private func missingColumns(of table: Table) throws -> [String] {
        let existing = try columns(of: table.name)
        return Self.columns(for: table).filter { !existing.contains($0) }
    }

    private func columns(of tableName: String) throws -> Set<String> {
        let statement = try Statement("SELECT name FROM pragma_table_info(?)", on: handle)
        try statement.bind(tableName, at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.string(0) ?? "") }
        return names
    }

    /// The names of the columns for what each record has, and for the fields of a type.
    private static func columns(for table: Table) -> [String] {
        Layout.systemColumnNames
            + table.columns.flatMap {
                [$0.name] + ($0.quotedAction == nil ? [] : [Table.Column.actionName($0.name)])
            }
    }

    private func names(ofType type: String) throws -> Set<String> {
        let statement = try Statement("SELECT name FROM sqlite_master WHERE type = ?", on: handle)
        try statement.bind(type, at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.string(0) ?? "") }
        return names
    }
}

/// The issues that the checks of a file have found.
struct DamageList {
    /// The largest number of issues that each check adds.
    let limit: Int
    let path: String
    private(set) var found: [IntegrityIssue] = []
    private var room: Int

    init(limit: Int, path: String) {
        self.limit = limit
        self.path = path
        room = limit
    }

    /// Whether the current check may add more issues.
    var hasRoom: Bool { room > 0 }

    /// Runs a check, and adds an issue if the check itself fails.
    mutating func check(_ subject: String, _ body: (inout DamageList) throws -> Void) throws {
        room = limit
        do {
            try body(&self)
        } catch let error as CabinetError where error.code == .internalError {
            room += 1
            found.append(
                IntegrityIssue(.storage, "The check of \(subject) fails. \(error.message)"))
        }
    }

    /// Adds an issue.
    ///
    /// - Parameters:
    ///   - what: The description, as a part of a sentence.
    ///   - advice: The advice for an issue that cannot be repaired.
    ///   - isRepairable: Whether the damaged structure can be rebuilt from the rows.
    ///   - id: The affected record.
    ///   - type: The affected record type.
    ///   - kind: The kind of the issue.
    mutating func add(
        _ what: String, _ advice: String, _ isRepairable: Bool, _ id: RecordID? = nil, type: Record.RecordType? = nil,
        kind: IntegrityIssue.Kind = .storage
    ) {
        guard hasRoom else { return }
        room -= 1
        let end = isRepairable || advice.isEmpty ? "" : " \(advice)"
        found.append(
            IntegrityIssue(
                kind, "The store's file \(path) is damaged: \(what).\(end)", recordType: type, recordID: id,
                isRepairable: isRepairable))
    }
}
