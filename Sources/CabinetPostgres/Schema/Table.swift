import Cabinet
import SQLSupport

/// The table of a record type, with those of its columns that a database's schema has fields for.
final class Table: SQLTable {
    typealias Column = SQLColumn

    let definition: TableDefinition
    /// The table's name as SQL takes it, with the name of the schema that it is in.
    let quoted: String
    /// The positions of the columns with assets, or lists of them.
    let assetColumns: [Int]
    /// What the table has because the schema asks for it.
    let built: TableIndexes
    /// All columns that a record is made of, with the table's name `t`, made once and not for each statement.
    let selection: String
    /// Those of rows whose zone is known.
    let selectionInZone: String

    /// Describes a table.
    ///
    /// - Parameters:
    ///   - definition: The columns of the fields that the database's schema has, and the indexes that it asks for.
    ///   - schema: The schema that the table is in, as SQL takes it.
    init(_ definition: TableDefinition, schema: String) {
        self.definition = definition
        let columns = definition.fields.columns
        quoted = "\(schema).\(SQLName.quoted(definition.name))"
        assetColumns = columns.indices.filter { columns[$0].type.scalar == .asset }
        // As queries call their table.
        let names = columns.flatMap(\.allQuoted)
        selection = RowDecoder.selection(of: names, .nothing, from: #""t""#)
        selectionInZone = RowDecoder.selection(of: names, .zone(.default), from: #""t""#)
        built = TableIndexes(definition.indexes, tableID: definition.id, fields: definition.fields)
    }

    /// The searchable fields whose words are in `"___words"`; empty if no index of words is kept.
    var wordFields: [Record.FieldKey] { built.words.map { columns[$0].field } }
}
