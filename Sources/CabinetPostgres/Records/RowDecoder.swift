import Cabinet
import Foundation
import SQLSupport

/// A decoder that turns the rows of one table into records.
struct RowDecoder {
    private let table: Table
    private var columns: RecordColumns
    private let known: RowIdentity
    /// The position of the first column that every record has, after those of its ID.
    private let systemStart: Int
    /// The number of decoded rows.
    private var rowCount = 0
    /// The number of rows after which a cancellation of the request is noticed.
    private static let checkInterval = 64
    /// The names of the targets of reference fields, by position.
    private var targets: [StringCache]

    /// The parts of the records' IDs that are known, and are therefore not selected.
    enum RowIdentity {
        case nothing
        /// All rows are in one zone.
        case zone(RecordZone.ID)
        /// The caller knows the ID of each row.
        case all

        /// The columns of the other parts, in the order in which they are decoded.
        fileprivate var columns: [String] {
            switch self {
            case .nothing: SQLColumn.id
            case .zone: [SQLColumn.id[0]]
            case .all: []
            }
        }
    }

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - table: The table of the rows.
    ///   - keys: The fields to get, or `nil` for all.
    ///   - known: The parts of the records' IDs that are not selected.
    ///   - skippedCount: The number of columns of other tables before those of the fields.
    init(table: Table, keys: [Record.FieldKey]?, known: RowIdentity = .nothing, skippedCount: Int = 0) {
        self.table = table
        self.known = known
        systemStart = known.columns.count
        columns = RecordColumns(of: table, keys: keys, from: known.columns.count, skippedCount: skippedCount)
        targets = Array(repeating: StringCache(), count: columns.slots.count)
    }

    /// The number of columns that are decoded; a statement may select more columns after them.
    var columnCount: Int { columns.end }

    /// Returns the column of a field with a single value; `nil` if the field is not fetched, or has no column.
    func index(of field: Record.FieldKey) -> Int? {
        columns.fields.columns.firstIndex { $0?.field == field }.map { columns.slots[$0].index }
    }

    /// Returns the columns to select, in the order in which they are decoded.
    ///
    /// - Parameter name: The quoted table that qualifies the columns.
    func selection(from name: String) -> String {
        if columns.fields.isComplete, name == "t" || name == #""t""# {
            switch known {
            case .nothing: return table.selection
            case .zone: return table.selectionInZone
            case .all: break
            }
        }
        return Self.selection(of: columns.fields.quoted, known, from: name)
    }

    /// Returns the columns to select for some columns of fields.
    static func selection(of columns: [String], _ known: RowIdentity, from name: String) -> String {
        (known.columns + SQLColumn.system + columns).map { "\(name).\($0)" }
            .joined(separator: ", ")
    }

    /// Decodes a row of a statement that selects ``selection(from:)``.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - context: The context that knows the zones.
    mutating func decode(_ row: QueryRow, in context: TransactionContext) throws -> StoredRecord {
        guard let name = row.decodedText(0) else { throw columns.damaged("___recordID", nil, row) }
        let zoneID: RecordZone.ID
        switch known {
        case .zone(let only): zoneID = only
        case .nothing, .all:
            guard let number = row.integer(1), let zone = try context.zone(number) else {
                throw columns.damaged("___zone", RecordID(recordName: name), row)
            }
            zoneID = zone
        }
        return try decode(row, as: RecordID(recordName: name, zoneID: zoneID))
    }

    /// Decodes a row with a known ID.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - id: The ID of the record, whose columns are not read.
    mutating func decode(_ row: QueryRow, as id: RecordID) throws -> StoredRecord {
        if rowCount.isMultiple(of: Self.checkInterval) { try WorkMeter.current?.checkCancellation() }
        rowCount += 1
        var fields: [FieldValue?] = []
        fields.reserveCapacity(targets.count)
        for position in targets.indices {
            let slot = columns.slots[position]
            guard let scalar = slot.scalar, let cell = row.cell(slot.index) else {
                fields.append(nil)
                continue
            }
            let value =
                slot.isList
                ? FieldList(scalar, from: row, at: slot.index, in: id.zoneID).map(FieldValue.list)
                : Self.value(scalar, cell, row, slot.index, id.zoneID, &targets[position])
            guard let value else { throw columns.damaged(position, id, row) }
            fields.append(value)
        }
        let start = systemStart
        let parent = row.cell(start + 5)
        let system = SystemValues(
            sequenceNumber: row.integer(start), creationDate: row.date(start + 1),
            creator: row.textBytes(start + 2), modificationDate: row.date(start + 3),
            modifier: row.textBytes(start + 4), hasParent: parent != nil, parent: parent?.textBytes,
            insertionNumber: row.integer(start + 6))
        return try columns.record(id, in: row, system, fields, QueryRow.string)
    }

    /// Returns the value of a field; `nil` if the row does not hold a value of its type.
    private static func value(
        _ scalar: FieldType.Scalar, _ cell: QueryCell, _ row: QueryRow, _ index: Int, _ zoneID: RecordZone.ID,
        _ target: inout StringCache
    ) -> FieldValue? {
        switch scalar {
        case .string: return cell.decodedText.map(FieldValue.string)
        case .int64: return cell.integer.map(FieldValue.int64)
        case .double: return cell.double.map(FieldValue.double)
        case .timestamp: return cell.date.map(FieldValue.timestamp)
        case .bytes: return cell.data.map(FieldValue.bytes)
        case .reference:
            guard target.read(cell.textBytes, QueryRow.string),
                let action = row.integer(index + 1).flatMap({ Reference.Action(rawValue: Int(clamping: $0)) })
            else { return nil }
            let id = RecordID(recordName: target.text, zoneID: zoneID)
            return .reference(Reference(recordID: id, action: action))
        case .location: return row.doubles(index).flatMap { Location($0) }.map(FieldValue.location)
        case .asset: return cell.text.flatMap { StoredAsset($0) }.map { .asset(Asset($0)) }
        }
    }
}
