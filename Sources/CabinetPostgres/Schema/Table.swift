import Cabinet
import SQLSupport

/// The table of a record type, with the columns for the fields that a database's schema has.
final class Table: SQLTable {
    typealias Column = SQLColumn

    let definition: TableDefinition
    /// The table's name, quoted, with the name of its schema.
    let quoted: String
    /// The positions of the columns with assets, or lists of them.
    let assetColumns: [Int]
    /// The indexes that the table has because the schema requests them.
    let built: TableIndexes
    /// All columns that a record is decoded from, with the table's name `t`; cached, because every statement needs it.
    let selection: String
    /// The same columns without the zone's, for rows of a known zone.
    let selectionInZone: String

    /// Describes a table.
    ///
    /// - Parameters:
    ///   - definition: The columns of the fields that the database's schema has, and the indexes that it requests.
    ///   - schema: The quoted name of the schema that the table is in.
    init(_ definition: TableDefinition, schema: String) {
        self.definition = definition
        let columns = definition.fields.columns
        quoted = "\(schema).\(SQLName.quoted(definition.name))"
        assetColumns = columns.indices.filter { columns[$0].type.scalar == .asset }
        // Queries use the alias `t` for their table.
        let names = columns.flatMap(\.allQuoted)
        selection = RowDecoder.selection(of: names, .nothing, from: #""t""#)
        selectionInZone = RowDecoder.selection(of: names, .zone(.default), from: #""t""#)
        built = TableIndexes(definition.indexes, tableID: definition.id, fields: definition.fields)
    }

    /// The searchable fields whose words are in `"___words"`; empty without an index of words.
    var wordFields: [Record.FieldKey] { built.words.map { columns[$0].field } }
}
