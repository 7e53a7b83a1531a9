import Cabinet
import Foundation
import SQLSupport

/// PostgreSQL's SQL, whose tests list the inexact cases of the server's own functions.
struct PostgresDialect: SQLDialect {
    typealias Value = SQLValue

    let databaseID: Int64
    /// The numbers of the tables with a row that has too many words for the index of words.
    let tablesOverTermLimit: Set<Int64>
    /// Whether SQL computes the relevance of every record of the plan's type.
    let ranksRecords: Bool
    /// The number of references that the current condition has followed, which numbers the table aliases.
    var targetCount = 0

    init(database: Int64, tablesOverTermLimit: Set<Int64>, ranksRecords: Bool) {
        databaseID = database
        self.tablesOverTermLimit = tablesOverTermLimit
        self.ranksRecords = ranksRecords
    }

    /// The limit of parameters, below PostgreSQL's own of 65,535.
    static let maximumParameters = 20_000
    static let maximumDepth = Int.max

    static func term(of column: SQLColumn, in table: Table, named name: String) -> SQLTerm {
        var term = SQLTerm(text: "\(name).\(column.quoted)", type: column.type, column: column.quoted)
        let key = TableIndexes.key(of: column.quoted, type: column.type)
        if key != column.quoted, table.built.trees.contains(where: { $0.keys.contains("\(key) NULLS FIRST") }) {
            term.key = SQLKey(
                text: TableIndexes.key(of: term.text, type: column.type),
                length: column.type == .bytes ? TableIndexes.bytesLength : TableIndexes.textLength,
                isOfBytes: column.type == .bytes)
        }
        return term
    }

    static func target(in table: Table, named name: String, zone: String, recordName: String) -> String {
        "\(table.quoted) AS \(name) WHERE \(name).\"___database\" = \(SQLBuilder.database) "
            + "AND \(name).\"___zone\" = \(zone) AND \(name).\"___recordID\" = \(recordName)"
    }

    static func isInZone(_ id: Int64, _ translator: inout Translator) -> SQLCondition {
        .sql("\(translator.terms.name).\"___zone\" = \(id)")
    }

    static func isRecord(
        _ term: SQLTerm, named names: [FieldValue], inZone id: Int64, _ translator: inout Translator
    ) -> SQLTest? {
        equalsOne(of: names, term, &translator)
    }
}

typealias FilterTranslator = SQLSupport.FilterTranslator<PostgresDialect>
typealias RowTerms = SQLSupport.RowTerms<PostgresDialect>
typealias SQLBuilder = SQLSupport.SQLBuilder<SQLValue>

/// A statement's text and the values of its parameters.
struct SQLStatement {
    let text: String
    let values: [SQLValue]
}

extension SQLBuilder {
    /// The number of the database, which is the first parameter of every statement.
    static var database: String { "$1" }

    init(database: Int64) {
        self.init(sign: "$", values: [.integer(database)])
    }
}

extension RowTerms {
    init(_ table: Table, fields: FieldTypes, catalog: Catalog) {
        self.init(table, fields: fields, tables: catalog.tables, name: "\"t\"")
    }

    /// The table with its alias, for FROM.
    var source: String { "\(table.quoted) AS \(name)" }

    /// The condition that a row belongs to the database.
    var isInDatabase: String { "\(name).\"___database\" = \(SQLBuilder.database)" }
}

extension SQLColumn {
    /// Creates a column; a list of references has its actions in a second array.
    init(field: Record.FieldKey, type: FieldType, name: String) {
        self.init(field: field, type: type, name: name, hasAction: type.scalar == .reference)
    }
}

extension SQLKey {
    /// Whether the prefix distinguishes a value from all others, because the value is shorter than the prefix.
    func isWhole(_ value: SQLValue) -> Bool {
        switch value {
        case .text(let text): text.utf8.count < length || text.unicodeScalars.count < length
        case .bytes(let data): data.count < length
        default: true
        }
    }
}

extension FieldValue {
    /// The value as a column holds it; `nil` if SQL cannot compare it.
    var sqlValue: SQLValue? { SQLValue(self) }
}

extension SQLValue: SQLParameter {
    static func stored(_ text: String) -> SQLValue { .text(StoredText.encoded(text)) }

    /// Returns values of one type as one array; `nil` if they have several types, or a type without arrays.
    static func array(_ values: [SQLValue]) -> SQLValue? {
        func all<Element>(_ extract: (SQLValue) -> Element?) -> [Element?]? {
            let elements = values.compactMap(extract)
            return elements.count == values.count ? elements.map(Optional.some) : nil
        }
        switch values.first {
        case .text: return all { if case .text(let value) = $0 { value } else { nil } }.map(SQLValue.texts)
        case .integer: return all { if case .integer(let value) = $0 { value } else { nil } }.map(SQLValue.integers)
        case .double: return all { if case .double(let value) = $0 { value } else { nil } }.map(SQLValue.doubles)
        case .bytes: return all { if case .bytes(let value) = $0 { value } else { nil } }.map(SQLValue.byteLists)
        default: return nil
        }
    }
}
