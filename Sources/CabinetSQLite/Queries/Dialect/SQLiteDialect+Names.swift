import Cabinet
import SQLSupport

/// Record names, which `cabinet_record` alone has an index of: its row numbers find the rows of the record types' tables.
extension SQLiteDialect {
    /// CROSS JOIN keeps the order of the tables: the name is looked up first.
    static func target(in table: Table, named name: String, zone: String, recordName: String) -> String {
        "cabinet_record CROSS JOIN \(table.quoted) AS \(name) ON \(name).\"___insertion\" = cabinet_record.row "
            + "WHERE cabinet_record.zone = \(zone) AND cabinet_record.recordName = \(recordName) "
            + "AND cabinet_record.type = \(table.id)"
    }

    static func isRecord(
        _ term: SQLTerm, named names: [FieldValue], inZone id: Int64, _ translator: inout Translator
    ) -> SQLTest? {
        let name = SQLTerm(text: "recordName", type: .string, depth: term.depth + 1)
        guard let isNamed = equalsOne(of: names, name, &translator) else { return nil }
        let terms = translator.terms
        let zone = translator.builder.parameter(.integer(id))
        let rows =
            "SELECT row FROM cabinet_record WHERE zone = \(zone) AND type = \(terms.table.id) AND \(isNamed.condition.text)"
        let isRow = "\(terms.name).\"___insertion\" \(names.count == 1 ? "=" : "IN") (\(rows))"
        return SQLTest(.sql(isRow, depth: isNamed.condition.depth + 2))
    }
}

extension FilterTranslator {
    /// The rows of the query's zone in the order of their names, as the source of a statement.
    ///
    /// The zone's records of other types are skipped, which costs less than sorting, unless the table has only a few of
    /// the zone's records.
    ///
    /// - Returns: `nil` if the order does not begin with the records' names, if the table is small, or if an index of the
    ///   table serves the query better.
    mutating func sourceInOrderOfNames(_ order: [Sort]) throws -> String? {
        let table = terms.table
        guard order.first?.key == SystemField.recordID.rawValue, case .one(_, let id, _) = scope,
            !dialect.usesFieldIndex, !dialect.usesVirtualTable,
            !table.trees.contains(where: { $0.first == SystemField.recordID.column }),
            try !dialect.connection.isSmall(table)
        else { return nil }
        let zone = builder.parameter(.integer(id))
        // No field has a name that begins with underscores.
        return "(SELECT recordName AS \"___name\", row AS \"___row\" FROM cabinet_record WHERE zone = \(zone) "
            + "AND type = \(table.id)) AS \"$names\" "
            + "CROSS JOIN \(table.quoted) ON \(terms.name).\"___insertion\" = \"$names\".\"___row\""
    }
}

extension Connection {
    /// The largest number of rows whose sorting costs less than skipping many names of other types.
    private static let smallCount = 200

    /// Whether a table has so few rows that they are sorted, instead of being found among the names of all records.
    fileprivate func isSmall(_ table: Table) throws -> Bool {
        let rows = "SELECT 1 FROM \(table.quoted) LIMIT \(Self.smallCount + 1)"
        return try number("SELECT count(*) FROM (\(rows))") ?? 0 <= Self.smallCount
    }
}

extension KeysetTranslator {
    /// Sorts the rows of ``SQLSupport/FilterTranslator/sourceInOrderOfNames(_:)``.
    mutating func sortInOrderOfNames() {
        for index in keys.indices where keys[index].term?.isID == true {
            keys[index].term?.text = #""$names"."___name""#
        }
    }
}
