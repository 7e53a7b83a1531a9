import CSQLite
import Cabinet
import SQLSupport

/// One line of SQLite's plan for a statement.
struct QueryPlanLine {
    let text: String

    /// Returns the access to one of several tables; `nil` if the line describes something else.
    ///
    /// SQLite's plans are text for people. Names of tables and indexes are searched only at their positions in the
    /// line, because users' names may contain any words.
    func access(_ tables: [NamedIndexes]) -> QueryExplanation.Access? {
        for index in tables.flatMap(\.virtualTables) where text.hasPrefix("SCAN \(index.name) VIRTUAL TABLE") {
            return .index(name: index.name, fields: index.fields)
        }
        let names = "SEARCH cabinet_record USING PRIMARY KEY (zone=?"
        if text.hasPrefix(names) {
            let isNamed = text.dropFirst(names.count).hasPrefix(" AND recordName")
            return .index(name: "cabinet_record", fields: isNamed ? [SystemField.recordID.rawValue] : [])
        }
        for verb in ["SCAN ", "SEARCH "] where text.hasPrefix(verb) {
            let rest = text.dropFirst(verb.count)
            for table in tables {
                for name in table.names where rest.hasPrefix(name) {
                    let rest = rest.dropFirst(name.count)
                    if rest.isEmpty { return .scan }
                    guard rest.hasPrefix(" ") else { continue }
                    if let access = Self.access(rest.dropFirst(), table) { return access }
                }
            }
        }
        return nil
    }

    private static func access(_ text: Substring, _ table: NamedIndexes) -> QueryExplanation.Access? {
        // A full-text or location index has returned the row numbers.
        if text.hasPrefix("USING INTEGER PRIMARY KEY") {
            // The page's scan begins after the last record of the previous page.
            return text.hasPrefix("USING INTEGER PRIMARY KEY (rowid>?)") ? .scan : nil
        }
        for words in ["USING INDEX ", "USING COVERING INDEX "] where text.hasPrefix(words) {
            let rest = text.dropFirst(words.count)
            // If one name is the beginning of another, the longest is the right one.
            let found = table.indexes.filter { rest == $0.name || rest.hasPrefix($0.name + " (") }
                .max { $0.name.utf8.count < $1.name.utf8.count }
            guard let index = found else { continue }
            return .index(name: index.name, fields: index.fields(in: rest.dropFirst(index.name.count)))
        }
        return text.hasPrefix("USING") ? .index(name: "automatic", fields: []) : nil
    }

    /// Whether the line describes a sort.
    ///
    /// A sort by the last keys only counts too, because all matching records are found before the first is returned.
    var isSorting: Bool {
        text.hasPrefix("USE TEMP B-TREE FOR ") && text.hasSuffix("ORDER BY")
    }

    /// Whether the line describes a sort by all sort keys.
    var isSortingAll: Bool { text == "USE TEMP B-TREE FOR ORDER BY" }
}

/// The indexes of a table, and its names in a statement.
struct NamedIndexes {
    struct Index {
        let name: String
        /// The columns' names and fields; `nil` for a column without a field.
        let columns: [(name: String, field: Record.FieldKey?)]

        /// Returns the fields of the columns in the parentheses of a line, such as `(list=? AND name>?)`.
        func fields(in text: Substring) -> [Record.FieldKey] {
            var fields: [Record.FieldKey] = []
            var rest = text.drop { $0 == " " || $0 == "(" }
            for column in columns {
                guard rest.hasPrefix(column.name), let sign = rest.dropFirst(column.name.count).first,
                    "=<>".contains(sign)
                else { break }
                if let field = column.field { fields.append(field) }
                // A column may have two bounds.
                while rest.hasPrefix(column.name) {
                    rest = rest.dropFirst(column.name.count).drop { "=<>?".contains($0) }
                    if rest.hasPrefix(" AND ") { rest = rest.dropFirst(5) }
                }
            }
            return fields
        }
    }

    let names: [String]
    let indexes: [Index]
    /// The full-text and location indexes, and their fields.
    let virtualTables: [(name: String, fields: [Record.FieldKey])]
}

extension Connection {
    /// Returns the indexes of a table in the file.
    func indexes(of table: Table) throws -> NamedIndexes {
        var fields: [String: Record.FieldKey] = [:]
        for column in table.columns { fields[column.name] = column.field }
        for field in SystemField.allCases { fields[String(field.column.dropFirst().dropLast())] = field.rawValue }
        // The aliases of tables in key paths are numbered by their steps.
        let aliases = (1..<FieldPath.maximumLength).map { "$\($0)" }
        var indexes: [NamedIndexes.Index] = []
        let list = try Statement("SELECT name FROM pragma_index_list(?)", on: handle)
        try list.bind(table.name, at: 1)
        while try list.step() {
            guard let name = list.string(0) else { continue }
            let info = try Statement("SELECT name FROM pragma_index_info(?)", on: handle)
            try info.bind(name, at: 1)
            var columns: [(name: String, field: Record.FieldKey?)] = []
            while try info.step() {
                let column = info.string(0) ?? ""
                columns.append((column, fields[column]))
            }
            indexes.append(NamedIndexes.Index(name: name, columns: columns))
        }
        let words = table.words.map { [(name: $0.name, fields: $0.fields)] } ?? []
        let places = table.places.map { (name: $0.name, fields: [table.columns[$0.position].field]) }
        return NamedIndexes(names: [table.name] + aliases, indexes: indexes, virtualTables: words + places)
    }
}
