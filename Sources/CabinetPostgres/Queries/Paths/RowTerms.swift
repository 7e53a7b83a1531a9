import Cabinet

/// Finds the SQL expressions for the fields of a table's rows, and for what key paths lead to from there.
///
/// Every column is written with its table, because what stands around it may have a column of the same name.
struct RowTerms {
    let table: Table
    let fields: FieldTypes
    let catalog: Catalog
    /// What the table is called in the statement, quoted.
    let name: String

    /// What a key stands for.
    enum Meaning {
        case term(SQLTerm)
        /// Nil in every record.
        case nothing
        /// What SQL does not know.
        case unknown
    }

    /// A path to records of many types is looked up in each of their tables, one after the other.
    private static let maximumTargets = 8
    /// A longer path is followed by the evaluator.
    private static let mostSteps = 20

    init(_ table: Table, fields: FieldTypes, catalog: Catalog, name: String = "\"t\"") {
        self.table = table
        self.fields = fields
        self.catalog = catalog
        self.name = name
    }

    /// The table with its name in the statement, for FROM.
    var source: String { "\(table.quoted) AS \(name)" }

    /// The condition that a row belongs to the database.
    var isInDatabase: String { "\(name).\"___database\" = \(SQLBuilder.database)" }

    /// What a field, system field or key path stands for.
    func meaning(of key: Record.FieldKey) -> Meaning {
        // Validation has refused what is no path.
        guard let path = try? FieldPath(key), path.steps.count <= Self.mostSteps else { return .unknown }
        guard var term = column(path.first) else { return .nothing }
        for (level, step) in path.steps.enumerated().dropFirst() {
            switch step {
            case .collection(.count) where term.type.isList: term = Self.count(of: term)
            case .collection: return .unknown
            case .name(let name):
                switch target(name, of: term, level: level) {
                case .term(let next): term = next
                case let other: return other
                }
            }
        }
        return .term(term)
    }

    /// The number of a list's elements.
    static func count(of list: SQLTerm) -> SQLTerm {
        let length = list.type.scalar == .location ? " / \(Layout.locationLength)" : ""
        return SQLTerm(
            text: "CAST(cardinality(\(list.text))\(length) AS bigint)", type: .int64, unsure: list.unsure)
    }

    /// The column of a field or system field; `nil` if the records have none.
    private func column(_ key: Record.FieldKey) -> SQLTerm? {
        if let field = SystemField(rawValue: key) {
            return SQLTerm(
                text: "\(name).\(field.column)", type: field.fieldType, targetZone: field.targetZone,
                column: field.column)
        }
        guard fields[key] != nil, let column = table.column(of: key) else { return nil }
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

    // MARK: Steps

    /// What a step from a reference leads to.
    ///
    /// - Parameter level: The number of the step, which makes the name that the target has in the statement its own.
    private func target(_ step: String, of reference: SQLTerm, level: Int) -> Meaning {
        guard reference.type == .reference, fields.recordTypes != nil else { return .unknown }
        let alias = "\"p\(level)\""
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
            lookups.append(
                "(SELECT \(alias).\(column) FROM \(table.quoted) AS \(alias) "
                    + "WHERE \(alias).\"___database\" = \(SQLBuilder.database) "
                    + "AND \(alias).\"___zone\" = \(zone(of: reference)) "
                    + "AND \(alias).\"___recordID\" = \(reference.text))")
        }
        guard let type, let only = lookups.first else { return .nothing }
        guard lookups.count <= Self.maximumTargets else { return .unknown }
        let text = lookups.count == 1 ? only : "coalesce(\(lookups.joined(separator: ", ")))"
        guard text.utf8.count <= FilterTranslator.maximumLength else { return .unknown }
        return .term(SQLTerm(text: text, type: type, targetZone: targetZone, unsure: reference.unsure))
    }

    /// The number of the zone that a term's references point into.
    func zone(of reference: SQLTerm) -> String {
        reference.targetZone == .default ? "\(Layout.defaultZone)" : "\(name).\"___zone\""
    }

    /// The tables of the types that have a field, or a system field, in the order in which they were made.
    ///
    /// The table itself comes last: records refer to others of their own type less often.
    func tables(with key: Record.FieldKey) -> [Table] {
        let isSystemField = SystemField(rawValue: key) != nil
        let found = catalog.tables.filter { table in
            guard let known = fields.recordTypes?[table.recordType] else { return false }
            return isSystemField || known[key] != nil && table.column(of: key) != nil
        }
        return found.filter { $0.id != table.id } + found.filter { $0.id == table.id }
    }

    /// The expressions for the rows of another table, to which a reference may lead.
    func terms(of target: Table, name: String) -> RowTerms {
        RowTerms(
            target,
            fields: FieldTypes(of: target.recordType, in: StoredSchema(recordTypes: fields.recordTypes ?? [:])),
            catalog: catalog, name: name)
    }
}
