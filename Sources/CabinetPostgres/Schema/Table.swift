import Cabinet
import SQLSupport

/// The table of a record type, with those of its columns that a database's schema has fields for.
final class Table: SQLTable {
    typealias Column = SQLColumn

    let id: Int64
    let recordType: Record.RecordType
    let name: String
    /// The table's name as SQL takes it, with the name of the schema that it is in.
    let quoted: String
    let fields: FieldColumns
    /// The positions of the columns with assets, or lists of them.
    let assetColumns: [Int]
    let indexes: Set<StoredIndex>
    /// What the table has because the schema asks for it.
    let built: TableIndexes
    /// All columns that a record is made of, with the table's name `t`, made once and not for each statement.
    let selection: String
    /// Those of rows whose zone is known.
    let selectionInZone: String

    /// Describes a table.
    ///
    /// - Parameters:
    ///   - id: The number of the record type.
    ///   - recordType: The record type.
    ///   - name: The table's name.
    ///   - schema: The schema that the table is in, as SQL takes it.
    ///   - columns: The columns of the type's fields.
    ///   - indexes: The indexes that the database's schema asks for.
    init(
        id: Int64, recordType: Record.RecordType, name: String, schema: String, columns: [Column],
        indexes: Set<StoredIndex> = []
    ) {
        self.id = id
        self.recordType = recordType
        self.name = name
        quoted = "\(schema).\(SQLName.quoted(name))"
        fields = FieldColumns(columns)
        assetColumns = columns.indices.filter { columns[$0].type.scalar == .asset }
        self.indexes = indexes
        // As queries call their table.
        let names = columns.flatMap(\.allQuoted)
        selection = RowDecoder.selection(of: names, .nothing, from: #""t""#)
        selectionInZone = RowDecoder.selection(of: names, .zone(.default), from: #""t""#)
        built = TableIndexes(indexes, tableID: id, fields: fields)
    }

    /// The searchable fields whose words are in `"___words"`; empty if no index of words is kept.
    var wordFields: [Record.FieldKey] { built.words.map { columns[$0].field } }
}
