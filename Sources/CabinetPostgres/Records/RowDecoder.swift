import Cabinet
import Foundation
import SQLSupport

/// A decoder that turns the rows of one table into records.
///
/// It maps columns to fields once, and not for each row.
struct RowDecoder {
    let table: Table
    private let fields: FieldSelection
    private let slots: [Slot]
    private let known: RowIdentity
    /// The position of the first system column.
    private let start: Int

    // Neighbouring rows often hold the same names: comparing bytes is cheaper than creating the same text again.
    private var creator = RepeatedText()
    private var modifier = RepeatedText()
    private var parent = RepeatedText()
    private var targets: [RepeatedText]

    /// A field to decode, and its column.
    private struct Slot {
        let type: FieldType?
        let index: Int
    }

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
            case .nothing: [#""___recordID""#, #""___zone""#]
            case .zone: [#""___recordID""#]
            case .all: []
            }
        }
    }

    /// The system columns of every row in addition to its ID, in the order in which they are decoded.
    private static let systemColumns = [
        #""___etag""#, #""___insertion""#, #""___createTime""#, #""___createdBy""#, #""___modTime""#,
        #""___modifiedBy""#, #""___parent""#,
    ]

    /// The number of columns of every row in addition to its ID.
    static var systemColumnCount: Int { systemColumns.count }

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
        fields = FieldSelection(keys, of: table.fields)
        targets = Array(repeating: RepeatedText(), count: fields.columns.count)
        start = known.columns.count
        (slots, columnCount) = fields.slots(from: start + Self.systemColumns.count + skippedCount) {
            Slot(type: $0?.type, index: $1)
        }
    }

    /// The number of columns that are decoded; a statement may select more columns after them.
    let columnCount: Int

    /// Returns the column of a field with a single value; `nil` if the field is not fetched, or has no column.
    func index(of field: Record.FieldKey) -> Int? {
        fields.columns.firstIndex { $0?.field == field }.map { slots[$0].index }
    }

    /// Returns the columns to select, in the order in which they are decoded.
    ///
    /// - Parameter name: The quoted table that qualifies the columns.
    func selection(from name: String) -> String {
        if fields.isComplete, name == "t" || name == #""t""# {
            switch known {
            case .nothing: return table.selection
            case .zone: return table.selectionInZone
            case .all: break
            }
        }
        return Self.selection(of: fields.quoted, known, from: name)
    }

    /// Returns the columns to select for some columns of fields.
    static func selection(of columns: [String], _ known: RowIdentity, from name: String) -> String {
        (known.columns + systemColumns + columns).map { "\(name).\($0)" }
            .joined(separator: ", ")
    }

    /// Decodes a row of a statement that selects ``selection(from:)``.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - view: The context that knows the zones.
    mutating func decode(_ row: QueryRow, in view: TransactionContext) throws -> StoredRecord {
        guard let name = row.decodedText(0) else { throw damaged("___recordID", nil) }
        let zoneID: RecordZone.ID
        switch known {
        case .zone(let only): zoneID = only
        case .nothing, .all:
            guard let number = row.integer(1), let zone = try view.zone(number) else {
                throw damaged("___zone", RecordID(recordName: name))
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
        try WorkMeter.current?.checkCancellation()
        guard let sequenceNumber = row.integer(start) else { throw damaged("___etag", id) }
        guard let insertionNumber = row.integer(start + 1) else { throw damaged("___insertion", id) }
        guard let creation = row.double(start + 2) else { throw damaged("___createTime", id) }
        guard let creatorName = creator.text(row, start + 3) else { throw damaged("___createdBy", id) }
        guard let modification = row.double(start + 4) else { throw damaged("___modTime", id) }
        guard let lastModifierName = modifier.text(row, start + 5) else { throw damaged("___modifiedBy", id) }
        var parentName: String?
        if !row.isNull(start + 6) {
            guard let name = parent.text(row, start + 6) else { throw damaged("___parent", id) }
            parentName = name
        }
        var values: [FieldValue?] = []
        values.reserveCapacity(slots.count)
        for position in slots.indices { values.append(try value(position, row, id)) }
        return StoredRecord(
            recordID: id,
            recordType: table.recordType,
            sequenceNumber: sequenceNumber,
            insertionNumber: insertionNumber,
            creationDate: Date(timeIntervalSinceReferenceDate: creation),
            creatorName: creatorName,
            modificationDate: Date(timeIntervalSinceReferenceDate: modification),
            lastModifierName: lastModifierName,
            parentName: parentName,
            fields: FieldValues(names: fields.names, values: values, isComplete: fields.isComplete))
    }

    private mutating func value(_ position: Int, _ row: QueryRow, _ id: RecordID) throws -> FieldValue? {
        let slot = slots[position]
        let index = slot.index
        guard let type = slot.type, !row.isNull(index) else { return nil }
        let found: FieldValue?
        if type.isList {
            found = FieldList(type.scalar, from: row, at: index, in: id.zoneID).map(FieldValue.list)
        } else {
            switch type.scalar {
            case .string: found = row.decodedText(index).map(FieldValue.string)
            case .int64: found = row.integer(index).map(FieldValue.int64)
            case .double: found = row.double(index).map(FieldValue.double)
            case .timestamp:
                found = row.double(index).map { .timestamp(Date(timeIntervalSinceReferenceDate: $0)) }
            case .bytes: found = row.data(index).map(FieldValue.bytes)
            case .reference:
                let action = row.integer(index + 1).flatMap { Reference.Action(rawValue: Int(clamping: $0)) }
                let name = targets[position].text(row, index)
                found = action.flatMap { action in
                    name.map {
                        .reference(Reference(recordID: RecordID(recordName: $0, zoneID: id.zoneID), action: action))
                    }
                }
            case .location: found = row.doubles(index).flatMap { Location($0) }.map(FieldValue.location)
            case .asset:
                found = row.text(index).flatMap { StoredAsset($0) }.map { .asset(Asset($0)) }
            }
        }
        guard let found else { throw damaged(fields.columns[position]?.name ?? "", id) }
        return found
    }

    private func damaged(_ column: String, _ id: RecordID?) -> CabinetError {
        PostgresFailure.damaged(
            "column \(column) of table \(table.name), record '\(id?.recordName ?? "?")', "
                + "does not hold what its field's type asks for")
    }
}

/// The last text of a column, which is returned again while the column holds the same bytes.
private struct RepeatedText {
    private var stored: [UInt8] = []
    private var last: String?

    mutating func text(_ row: QueryRow, _ column: Int) -> String? {
        guard let bytes = row.utf8(column) else { return nil }
        if let last, bytes.equals(stored) { return last }
        stored = Array(bytes)
        last = row.decodedText(column)
        return last
    }
}
