package import Cabinet

/// Provides the SQL expressions for the fields of a table's rows, and for the values at the end of key paths.
///
/// Every column is qualified with its table, because the surrounding statement may have a column of the same name.
package struct RowTerms<Dialect: SQLDialect> {
    package typealias Table = Dialect.Table

    package let table: Table
    package let fields: FieldTypes
    /// The tables of all record types, in the order of their creation.
    package let tables: [Table]
    /// The table's name in the statement, quoted.
    package let name: String

    /// The translation of a key.
    package enum Meaning {
        case term(SQLTerm)
        /// Nil in every record.
        case nothing
        /// A value that SQL cannot express.
        case unknown
    }

    /// The largest number of tables that a path to records of several types is searched in.
    private static var maximumTargets: Int { 8 }
    /// The largest number of steps in a path.
    ///
    /// The evaluator follows longer paths.
    private static var maximumSteps: Int { 20 }
    /// The length limit of an expression.
    ///
    /// If many types refer to many types, the text grows with the product of their numbers.
    package static var maximumLength: Int { 8_000 }

    package init(_ table: Table, fields: FieldTypes, tables: [Table], name: String) {
        self.table = table
        self.fields = fields
        self.tables = tables
        self.name = name
    }

    /// The column of the insertion number.
    package var insertionNumber: String { "\(name).\"___insertion\"" }

    /// Translates a field, system field or key path.
    package func meaning(of key: Record.FieldKey) -> Meaning {
        // Validation has rejected keys that are not paths.
        guard let path = try? FieldPath(key), path.steps.count <= Self.maximumSteps else { return .unknown }
        guard var term = column(path.first) else { return .nothing }
        for (level, step) in path.steps.enumerated().dropFirst() {
            switch step {
            case .collection(.count) where term.type.isList: term = Dialect.count(of: term)
            case .collection: return .unknown
            case .json(let json):
                guard term.type == .string, let value = Dialect.value(json, in: term),
                    value.text.utf8.count <= Self.maximumLength
                else { return .unknown }
                term = value
            case .name(let name):
                switch target(name, of: term, level: level) {
                case .term(let next): term = next
                case let other: return other
                }
            }
        }
        return .term(term)
    }

    /// Returns the column of a field or system field; `nil` if the records have none.
    private func column(_ key: Record.FieldKey) -> SQLTerm? {
        if let field = SystemField(rawValue: key) {
            return SQLTerm(
                text: "\(name).\(field.column)", type: field.fieldType, targetZone: field.targetZone,
                column: field.column)
        }
        guard fields[key] != nil, let column = table.column(of: key) else { return nil }
        return Dialect.term(of: column, in: table, named: name)
    }

    // MARK: Steps

    /// Translates a step from a reference.
    ///
    /// - Parameter level: The number of the step, which makes the target's name in the statement unique.
    private func target(_ step: String, of reference: SQLTerm, level: Int) -> Meaning {
        guard reference.type == .reference, fields.recordTypes != nil else { return .unknown }
        // No table has this name: in a name that users choose, a `$` is followed by a reserved prefix or a number.
        let alias = "\"$p\(level)\""
        var type: FieldType?
        var targetZone = reference.targetZone
        var lookups: [String] = []
        for table in tables(with: step) {
            let column: String
            let columnType: FieldType
            if let field = SystemField(rawValue: step) {
                (column, columnType) = (field.column, field.fieldType)
                if field.targetZone == .default { targetZone = .default }
            } else if let found = table.column(of: step) {
                (column, columnType) = (found.quoted, found.type)
            } else {
                continue
            }
            guard type == nil || type == columnType else { return .unknown }
            type = columnType
            let rows = Dialect.target(in: table, named: alias, zone: zone(of: reference), recordName: reference.text)
            lookups.append("(SELECT \(alias).\(column) FROM \(rows))")
        }
        guard let type, let only = lookups.first else { return .nothing }
        guard lookups.count <= Self.maximumTargets else { return .unknown }
        let text = lookups.count == 1 ? only : "coalesce(\(lookups.joined(separator: ", ")))"
        guard text.utf8.count <= Self.maximumLength else { return .unknown }
        return .term(
            SQLTerm(
                text: text, type: type, targetZone: targetZone, inexactCases: reference.inexactCases,
                depth: reference.depth + (lookups.count == 1 ? 4 : 6)))
    }

    /// Returns the number of the zone that a term's references point to.
    private func zone(of reference: SQLTerm) -> String {
        reference.targetZone == .default ? "\(ZoneTable.defaultZone)" : "\(name).\"___zone\""
    }

    /// Returns the tables of the types that have a field or system field, in the order of their creation.
    ///
    /// The table itself comes last, because records refer to others of their own type less often.
    package func tables(with key: Record.FieldKey) -> [Table] {
        let isSystemField = SystemField(rawValue: key) != nil
        let found = tables.filter { table in
            guard let known = fields.recordTypes?[table.recordType] else { return false }
            return isSystemField || known[key] != nil && table.column(of: key) != nil
        }
        return found.filter { $0.id != table.id } + found.filter { $0.id == table.id }
    }

    /// Returns the expressions for the rows of another table that a reference may point to.
    package func terms(of target: Table, name: String) -> RowTerms {
        RowTerms(
            target,
            fields: FieldTypes(of: target.recordType, in: StoredSchema(recordTypes: fields.recordTypes ?? [:])),
            tables: tables, name: name)
    }
}
