import CSQLite
import Cabinet
import SQLSupport

/// One line of what SQLite says about how it would run a statement.
struct QueryPlanLine {
    let text: String

    /// How the rows of one of some tables are found; `nil` if the line is about something else.
    ///
    /// SQLite's words are made for people. Names of tables and indexes are looked for where they must stand, because names
    /// that users choose may hold any words.
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
        // Rows are found by their numbers where an index of words or places has given those.
        if text.hasPrefix("USING INTEGER PRIMARY KEY") {
            // Or the scan begins after the last record of the page before.
            return text.hasPrefix("USING INTEGER PRIMARY KEY (rowid>?)") ? .scan : nil
        }
        for words in ["USING INDEX ", "USING COVERING INDEX "] where text.hasPrefix(words) {
            let rest = text.dropFirst(words.count)
            // The longest name is the right one, should one be another's beginning.
            let found = table.indexes.filter { rest == $0.name || rest.hasPrefix($0.name + " (") }
                .max { $0.name.utf8.count < $1.name.utf8.count }
            guard let index = found else { continue }
            return .index(name: index.name, fields: index.fields(in: rest.dropFirst(index.name.count)))
        }
        return text.hasPrefix("USING") ? .index(name: "automatic", fields: []) : nil
    }

    /// Whether the line says that what is found is sorted afterwards.
    ///
    /// A part that decides between equal sort keys counts too: all records that match are found before the first is given.
    var isSorting: Bool {
        text.hasPrefix("USE TEMP B-TREE FOR ") && text.hasSuffix("ORDER BY")
    }

    /// Whether the line says that all that is found is sorted by all sort keys.
    var isSortingAll: Bool { text == "USE TEMP B-TREE FOR ORDER BY" }
}

/// The indexes of a table, and the names that it may have in a statement.
struct NamedIndexes {
    struct Index {
        let name: String
        /// The columns' names, and the fields that they hold; `nil` for columns that hold none.
        let columns: [(name: String, field: Record.FieldKey?)]

        /// The fields of the columns that are named in parentheses: `(list=? AND name>?)`.
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
    /// The indexes of words and of places, and their fields.
    let virtualTables: [(name: String, fields: [Record.FieldKey])]
}

extension Connection {
    /// The indexes of a table, as the file has them.
    func indexes(of table: Table) throws -> NamedIndexes {
        var fields: [String: Record.FieldKey] = [:]
        for column in table.columns { fields[column.name] = column.field }
        for field in SystemField.allCases { fields[String(field.column.dropFirst().dropLast())] = field.rawValue }
        // Paths give the tables names by the number of their steps.
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
