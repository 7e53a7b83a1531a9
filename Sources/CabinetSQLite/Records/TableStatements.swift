import Cabinet
import SQLSupport

/// The statements of one table that do not depend on a request, prepared once and found without building their text.
final class TableStatements {
    /// Reads a row by number, with all fields.
    let fetch: Statement
    let decoder: RowDecoder
    /// The columns that the decoder needs.
    let selection: String
    /// The text of the statement that reads a page of changes, with all fields.
    private(set) lazy var changes = table.pageOfChanges(selecting: selection)
    let insertion: Statement
    private let table: Table
    private let handle: DatabaseHandle
    /// The statements that set some columns, by these columns.
    private var updates: [[Int]: Statement] = [:]
    /// The statement of the previous update, which most often is that of the next one.
    private var lastUpdate: (columns: [Int], statement: Statement)?
    private static let updateLimit = 64
    /// The largest number of tables for which a connection keeps statements.
    static let tableLimit = 256

    init(table: Table, on connection: Connection) throws {
        self.table = table
        handle = connection.handle
        decoder = RowDecoder(table: table, keys: nil)
        selection = decoder.selection
        fetch = try Statement("SELECT \(selection) FROM \(table.quoted) WHERE \"___insertion\" = ?", on: handle)
        let names = SQLColumn.id + SQLColumn.system + table.columns.flatMap(\.allQuoted)
        insertion = try Statement(
            """
            INSERT INTO \(table.quoted) (\(names.joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """, on: handle)
    }

    /// Returns the statement that sets the sequence number, the modification date and additional columns of a row.
    ///
    /// Its last parameters are the row, the record's name and the number of its zone, which are checked.
    ///
    /// - Parameter columns: Positions in ``Table/columns``, or negative numbers of ``SystemColumn``.
    func update(of columns: [Int]) throws -> Statement {
        if let lastUpdate, lastUpdate.columns == columns { return lastUpdate.statement }
        if let statement = updates[columns] {
            lastUpdate = (columns, statement)
            return statement
        }
        var names = [#""___etag""#, #""___modTime""#]
        for column in columns {
            names += SystemColumn(rawValue: column).map { [$0.quoted] } ?? table.columns[column].allQuoted
        }
        let assignments = names.map { "\($0) = ?" }.joined(separator: ", ")
        let statement = try Statement(
            """
            UPDATE \(table.quoted) SET \(assignments) \
            WHERE "___insertion" = ? AND "___recordID" = ? AND "___zone" = ?
            """, on: handle)
        if updates.count >= Self.updateLimit { updates = [:] }
        updates[columns] = statement
        return statement
    }

    /// The system columns that an update sets only if they change.
    enum SystemColumn: Int, CaseIterable {
        case creationDate = -4
        case creator = -3
        case modifier = -2
        case parent = -1

        var quoted: String {
            switch self {
            case .creationDate: #""___createTime""#
            case .creator: #""___createdBy""#
            case .modifier: #""___modifiedBy""#
            case .parent: #""___parent""#
            }
        }
    }
}

extension Connection {
    /// Returns the statements of a table.
    func statements(for table: Table) throws -> TableStatements {
        if let known = tableStatements[table.id] {
            known.decoder.forgetZone()
            return known
        }
        let new = try TableStatements(table: table, on: self)
        guard statements.limit > 0 else { return new }
        if tableStatements.count >= TableStatements.tableLimit { tableStatements = [:] }
        tableStatements[table.id] = new
        return new
    }

    /// Returns the table of a record type's number.
    func table(_ id: Int64) throws -> Table {
        guard let table = catalog.tablesByID[id] else {
            throw SQLiteFailure.damaged(path: path, "a row has the record type \(id), which does not exist")
        }
        return table
    }
}
