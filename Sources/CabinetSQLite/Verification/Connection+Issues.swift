import CSQLite
import Cabinet
import SQLSupport

/// The checks of a file below the record model: pages, tables, and derived tables.
extension Connection {
    /// Checks the file in the current transaction.
    ///
    /// - Parameter limit: The largest number of issues that each check returns.
    func issues(limit: Int) throws -> [IntegrityIssue] {
        guard !catalog.isEmptyFile else { return emptyFileIssues() }
        var issues = IssueList(limit: limit, store: "file \(path)")
        try issues.check("its pages") { try checkPages(&$0) }
        try issues.check("its foreign keys") { try checkForeignKeys(&$0) }
        try issues.check("its schema") { try checkSchema(&$0) }
        try issues.check("its indexes") { try checkIndexes(&$0) }
        for table in try intactTables() {
            try issues.check("table \(table.name)") { try checkSystemColumns(of: table, &$0) }
            try issues.check("cabinet_record") { try checkLocations(of: table, &$0) }
            try issues.check("cabinet_list_reference") { try checkListReferences(of: table, &$0) }
            try issues.check("cabinet_list_asset") { try checkListAssets(of: table, &$0) }
            if let words = table.words {
                try issues.check(words.name) { try check(words, of: table, &$0) }
            }
            for places in table.places {
                try issues.check(places.name) { try check(places, of: table, &$0) }
            }
        }
        try issues.check("derived tables") { try checkStrayEntries(&$0) }
        return issues.found
    }

    /// The tables that have all required columns.
    func intactTables() throws -> [Table] {
        try catalog.tables.filter { try missingColumns(of: $0).isEmpty }
    }

    /// Runs SQLite's check of the file's structure.
    private func checkPages(_ issues: inout IssueList) throws {
        let statement = try Statement("PRAGMA integrity_check(\(issues.limit))", on: handle)
        while try statement.step() {
            guard let message = statement.string(0), message != "ok" else { continue }
            // An index that does not match its table is rebuilt from it. Other damage affects rows.
            let isIndex = message.contains("missing from index") || message.contains("wrong # of entries in index")
            issues.add(
                message, "Restore the file from a backup, or salvage it with the sqlite3 shell's '.recover'.", isIndex)
        }
    }

    private func checkForeignKeys(_ issues: inout IssueList) throws {
        let statement = try Statement("PRAGMA foreign_key_check", on: handle)
        while try statement.step(), issues.hasRoom {
            let (table, parent) = (statement.string(0) ?? "", statement.string(2) ?? "")
            let row = statement.kind(1) == SQLITE_INTEGER ? "row \(statement.int64(1))" : "a row"
            issues.add(
                "\(row) of \(table) refers to a row of \(parent) that does not exist", "Undo the change.",
                Self.derivedTables.contains(table))
        }
    }

    /// The tables whose rows are derived from those of the record types' tables.
    private static let derivedTables: Set<String> = ["cabinet_record", "cabinet_list_reference", "cabinet_list_asset"]

    /// Compares the tables of records, and their columns, with the schema.
    private func checkSchema(_ issues: inout IssueList) throws {
        let needed = Dictionary(
            catalog.tables.map { ($0.name, Self.columns(for: $0)) }, uniquingKeysWith: { first, _ in first })
        var existing: [String: Set<String>] = [:]
        for name in try names(ofType: "table") {
            let columns = try columns(of: name)
            guard needed[name] != nil || columns.isSuperset(of: SQLColumn.allSystemNames) else { continue }
            existing[name] = columns
        }
        issues.compare(existing, with: needed)
    }

    private func checkIndexes(_ issues: inout IssueList) throws {
        let virtual = try names(ofType: "table")
        for table in catalog.tables {
            let existing = try indexNames(of: table)
            for index in try expectedIndexes(of: table) where existing[index.target] == nil {
                issues.add("the index \(index.name) is missing", "", true)
            }
            let wanted = table.indexes(for: table.indexes)
            for name in wanted.places.map(\.name) + (wanted.words.map { [$0.name] } ?? [])
            where try !virtual.contains(name) && hasModule(wanted.words?.name == name ? "fts5" : "rtree") {
                issues.add("the index \(name) is missing", "", true)
            }
        }
    }

    /// Finds the assets of records that an empty file no longer has.
    private func emptyFileIssues() -> [IntegrityIssue] {
        guard let assets = assets?.path, !AssetFile.names(in: assets).isEmpty else { return [] }
        var issues = IssueList(limit: 1, store: "file \(path)")
        issues.add("the file is empty, and \(assets) has assets of records", "Restore a backup.", false, kind: .schema)
        return issues.found
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
        SQLColumn.allSystemNames + table.columns.flatMap(\.allNames)
    }

    private func names(ofType type: String) throws -> Set<String> {
        let statement = try Statement("SELECT name FROM sqlite_master WHERE type = ?", on: handle)
        try statement.bind(type, at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.string(0) ?? "") }
        return names
    }
}
