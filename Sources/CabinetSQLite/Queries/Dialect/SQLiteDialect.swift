import Cabinet
import Foundation
import SQLSupport

/// SQLite's SQL with Cabinet's functions, which fold text, compare lists and do what SQL cannot.
struct SQLiteDialect: SQLDialect {
    typealias Value = SQLValue

    let connection: Connection
    /// Whether only the first records of an order are wanted.
    let isLimited: Bool
    /// Whether the index of a field or of the records' IDs can find the records, or several of them, one for each part of an OR.
    var usesFieldIndex = false
    /// Whether it finds them by a single value of the field, and so in the order of their insertion.
    var usesEqualValues = false
    /// Whether a full-text or location index may find the records.
    var usesVirtualTable = false
    /// The statements that have already searched for the targets of references.
    var targetLookups: [SQLStatementText] = []

    init(_ connection: Connection, isLimited: Bool) {
        self.connection = connection
        self.isLimited = isLimited
    }

    /// Below the limit of all builds of SQLite.
    static let maximumParameters = 30_000
    /// SQLite's parser has a stack of 100 symbols, and a level takes up to three.
    static let maximumDepth = 25

    static func term(of column: SQLColumn, in table: Table, named name: String) -> SQLTerm {
        SQLTerm(text: "\(name).\(column.quoted)", type: column.type, column: column.quoted)
    }

    /// The plus sign keeps SQLite from using the index of the zone.
    static func isInZone(_ id: Int64, _ translator: inout Translator) -> SQLCondition {
        .sql("+\(translator.terms.name).\"___zone\" = \(translator.builder.parameter(.integer(id)))")
    }
}

typealias FilterTranslator = SQLSupport.FilterTranslator<SQLiteDialect>
typealias RowTerms = SQLSupport.RowTerms<SQLiteDialect>
typealias SQLBuilder = SQLSupport.SQLBuilder<SQLValue>

/// The text of a statement and the values of its parameters, for explanations.
struct SQLStatementText {
    let sql: String
    let builder: SQLBuilder
}

extension RowTerms {
    init(_ table: Table, fields: FieldTypes, catalog: Catalog) {
        self.init(table, fields: fields, tables: catalog.tables, name: table.quoted)
    }
}

extension FilterTranslator {
    init(_ terms: RowTerms, scope: ZoneScope, connection: Connection, isLimited: Bool) {
        self.init(
            terms, scope: scope, zones: connection.zones, builder: SQLBuilder(sign: "?"),
            dialect: SQLiteDialect(connection, isLimited: isLimited))
    }
}

extension SQLColumn {
    /// Creates a column.
    ///
    /// A list of references has its actions in its JSON.
    init(field: Record.FieldKey, type: FieldType, name: String) {
        self.init(field: field, type: type, name: name, hasAction: type == .reference)
    }
}

extension SQLName {
    private static let reservedPrefixes = ["sqlite_", "cabinet_", "json_", "jsonb_", "pragma_"]

    /// Returns a user's name as a table or column can have it.
    ///
    /// Reserved are the prefixes of SQLite and Cabinet, and those of functions in FROM clauses, which a table of the
    /// same name would hide. A `$` is prepended to such a name.
    static func unreserved(_ name: String) -> String {
        let lowercased = name.lowercased()
        return name.isEmpty || reservedPrefixes.contains(where: lowercased.hasPrefix) ? "$" + name : name
    }
}
