import Cabinet
import Foundation

/// Makes records of the rows of one table.
///
/// Which column is which field is settled once, not per row.
struct RowDecoder {
    let table: Table
    private let columns: [Table.Column?]
    private let slots: [Slot]
    private let names: FieldNames
    private let isComplete: Bool

    // Neighbouring rows often hold the same names: a comparison of bytes saves making the same text again.
    private var creator = RepeatedText()
    private var modifier = RepeatedText()
    private var parent = RepeatedText()
    private var targets: [RepeatedText]

    /// What to decode for a field, and from which column of the row.
    private struct Slot {
        let type: FieldType?
        let index: Int
    }

    /// The system columns that every row must have, in the order in which they are decoded.
    private static let systemColumns = [
        #""___recordID""#, #""___zone""#, #""___etag""#, #""___createTime""#, #""___createdBy""#, #""___modTime""#,
        #""___modifiedBy""#, #""___parent""#,
    ]

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - table: The table that the rows come from.
    ///   - keys: The fields to get, or `nil` for all.
    init(table: Table, keys: [Record.FieldKey]?) {
        self.table = table
        if let keys {
            columns = keys.map { table.column(of: $0) }
            names = FieldNames(keys)
        } else {
            columns = table.columns
            names = table.fieldNames
        }
        isComplete = keys == nil
        targets = Array(repeating: RepeatedText(), count: columns.count)
        var slots: [Slot] = []
        var index = Self.systemColumns.count
        for column in columns {
            slots.append(Slot(type: column?.type, index: index))
            index += column?.allQuoted.count ?? 0
        }
        self.slots = slots
    }

    /// The number of columns that are decoded; what a statement selects after them is its own.
    var columnCount: Int { Self.systemColumns.count + columns.reduce(0) { $0 + ($1?.allQuoted.count ?? 0) } }

    /// The columns to select, in the order in which they are decoded.
    ///
    /// - Parameter name: The table as columns are written with it, quoted.
    func selection(from name: String) -> String {
        if isComplete, name == "t" || name == #""t""# { return table.selection }
        return Self.selection(of: columns, from: name)
    }

    /// The columns to select for some columns of fields, without those that there are not.
    static func selection(of columns: [Table.Column?], from name: String) -> String {
        (systemColumns + columns.flatMap { $0?.allQuoted ?? [] }).map { "\(name).\($0)" }.joined(separator: ", ")
    }

    /// Makes a record of a row of a statement that selects ``selection(from:)``.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - view: Where to look up a zone.
    mutating func decode(_ row: QueryRow, in view: DatabaseView) throws -> StoredRecord {
        guard let name = row.decodedText(0) else { throw damaged("___recordID", row) }
        guard let number = row.integer(1), let zoneID = try view.zone(number) else { throw damaged("___zone", row) }
        guard let sequenceNumber = row.integer(2) else { throw damaged("___etag", row) }
        guard let creation = row.double(3) else { throw damaged("___createTime", row) }
        guard let creatorName = creator.text(row, 4) else { throw damaged("___createdBy", row) }
        guard let modification = row.double(5) else { throw damaged("___modTime", row) }
        guard let lastModifierName = modifier.text(row, 6) else { throw damaged("___modifiedBy", row) }
        var parentName: String?
        if !row.isNull(7) {
            guard let name = parent.text(row, 7) else { throw damaged("___parent", row) }
            parentName = name
        }
        var values: [FieldValue?] = []
        values.reserveCapacity(slots.count)
        for position in slots.indices { values.append(try value(position, row, zoneID)) }
        return StoredRecord(
            recordID: RecordID(recordName: name, zoneID: zoneID),
            recordType: table.recordType,
            sequenceNumber: sequenceNumber,
            creationDate: Date(timeIntervalSinceReferenceDate: creation),
            creatorName: creatorName,
            modificationDate: Date(timeIntervalSinceReferenceDate: modification),
            lastModifierName: lastModifierName,
            parentName: parentName,
            fields: RecordFields(names: names, values: values, isComplete: isComplete))
    }

    private mutating func value(_ position: Int, _ row: QueryRow, _ zoneID: RecordZone.ID) throws -> FieldValue? {
        let slot = slots[position]
        let index = slot.index
        guard let type = slot.type, !row.isNull(index) else { return nil }
        let found: FieldValue?
        if type.isList {
            found = FieldList(type.scalar, from: row, at: index, in: zoneID).map(FieldValue.list)
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
                        .reference(Reference(recordID: RecordID(recordName: $0, zoneID: zoneID), action: action))
                    }
                }
            case .location: found = row.doubles(index).flatMap { Location($0) }.map(FieldValue.location)
            case .asset:
                found = row.text(index).flatMap { StoredAsset($0) }.map { .asset(Asset($0)) }
            }
        }
        guard let found else { throw damaged(columns[position]?.name ?? "", row) }
        return found
    }

    private func damaged(_ column: String, _ row: QueryRow) -> CabinetError {
        PostgresFailure.damaged(
            "column \(column) of table \(table.name), record '\(row.text(0) ?? "?")', "
                + "does not hold what its field's type asks for")
    }
}

/// The last text of a column, given out again as long as the column holds the same bytes.
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
