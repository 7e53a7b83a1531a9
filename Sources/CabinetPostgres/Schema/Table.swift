import Cabinet
import SQLSupport

/// The table of a record type, with those of its columns that a database's schema has fields for.
///
/// A table never changes: another schema makes another one.
final class Table: Sendable {
    typealias Column = SQLColumn

    /// The number of the record type.
    let id: Int64
    let recordType: Record.RecordType
    let name: String
    /// The table's name as SQL takes it, with the name of the schema that it is in.
    let quoted: String
    /// The columns of the fields that the database's schema has.
    let columns: [Column]
    /// The fields' names, in the order of their columns, shared by all records that are read from this table.
    let fieldNames: FieldNames
    /// The positions of the columns with lists of references.
    let referenceLists: [Int]
    /// The positions of the columns with assets, or lists of them.
    let assetColumns: [Int]
    /// The fields' types by name.
    let fieldTypes: [Record.FieldKey: FieldType]
    /// The indexes that the schema asks for.
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
        self.columns = columns
        quoted = "\(schema).\(SQLName.quoted(name))"
        let names = FieldNames(columns.map(\.field))
        fieldNames = names
        referenceLists = columns.indices.filter { columns[$0].type == .list(of: .reference) }
        assetColumns = columns.indices.filter { columns[$0].type.scalar == .asset }
        fieldTypes = Dictionary(columns.map { ($0.field, $0.type) }, uniquingKeysWith: { first, _ in first })
        self.indexes = indexes
        // As queries call their table.
        selection = RowDecoder.selection(of: columns, .nothing, from: #""t""#)
        selectionInZone = RowDecoder.selection(of: columns, .zone(.default), from: #""t""#)
        built = TableIndexes(indexes, tableID: id, columns: columns, names: names)
    }

    /// The column of a field.
    func column(of field: Record.FieldKey) -> Column? {
        fieldNames.position(of: field).map { columns[$0] }
    }

    /// The searchable fields whose words are in `"___words"`; empty if no index of words is kept.
    var wordFields: [Record.FieldKey] { built.words.map { columns[$0].field } }
}
