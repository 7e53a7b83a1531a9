import CSQLite
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
    private let path: String

    // Neighbouring rows often hold the same names: a comparison of bytes saves making the same text again.
    private var creator = RepeatedName()
    private var modifier = RepeatedName()
    private var parent = RepeatedName()
    private var targets: [RepeatedName]
    private var zone: (id: Int64, zoneID: RecordZone.ID) = (Layout.defaultZone, .default)

    /// What to decode for a field, and from which column of the row.
    ///
    /// It refers to no object, so that looking at it costs nothing.
    private struct Slot {
        let kind: Kind
        let index: Int32
    }

    private enum Kind {
        case nothing, string, int64, double, timestamp, bytes, reference, location, asset, list

        init(_ type: FieldType?) {
            self =
                switch type?.scalar {
                case _ where type?.isList == true: .list
                case .string: .string
                case .int64: .int64
                case .double: .double
                case .timestamp: .timestamp
                case .bytes: .bytes
                case .reference: .reference
                case .location: .location
                case .asset: .asset
                case nil: .nothing
                }
        }
    }

    /// Where the fields' columns begin in a row; before them are the system columns.
    private static let firstField: Int32 = 9

    /// The system columns that every row must have, in the order in which they are decoded.
    private static let systemColumns =
        #""___recordID", "___zone", "___etag", "___createTime", "___createdBy", "___modTime", "___modifiedBy", "#
        + #""___parent", "___row""#

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - table: The table that the rows come from.
    ///   - keys: The fields to get, or `nil` for all.
    ///   - path: The file's path, for errors.
    init(table: Table, keys: [Record.FieldKey]?, path: String) {
        self.table = table
        self.path = path
        if let keys {
            columns = keys.map { table.column(of: $0) }
            names = FieldNames(keys)
        } else {
            columns = table.columns
            names = table.fieldNames
        }
        isComplete = keys == nil
        targets = Array(repeating: RepeatedName(), count: columns.count)
        var slots: [Slot] = []
        var index = Self.firstField
        for column in columns {
            slots.append(Slot(kind: Kind(column?.type), index: index))
            index += Int32(column?.allQuoted.count ?? 0)
        }
        self.slots = slots
    }

    /// The columns to select, in the order in which they are decoded.
    var selection: String {
        var selection = Self.systemColumns
        for column in columns {
            for name in column?.allQuoted ?? [] {
                selection += ", "
                selection += name
            }
        }
        return selection
    }

    /// Makes a record of the current row.
    ///
    /// - Parameters:
    ///   - statement: A statement that selects ``selection``.
    ///   - recordID: The record's ID, if it is known.
    ///   - connection: Where to look up a zone.
    mutating func decode(
        _ statement: Statement, recordID: RecordID? = nil, on connection: Connection
    ) throws -> StoredRecord {
        let recordID = try recordID ?? self.recordID(statement, on: connection)
        guard statement.kind(2) == SQLITE_INTEGER else { throw damaged("___etag", statement) }
        guard let creatorName = creator.text(statement, 4) else { throw damaged("___createdBy", statement) }
        guard let lastModifierName = modifier.text(statement, 6) else { throw damaged("___modifiedBy", statement) }
        var parentName: String?
        if statement.kind(7) != SQLITE_NULL {
            guard let name = parent.text(statement, 7) else { throw damaged("___parent", statement) }
            parentName = name
        }
        var values: [FieldValue?] = []
        values.reserveCapacity(slots.count)
        for position in slots.indices {
            let slot = slots[position]
            values.append(try value(slot.kind, at: slot.index, position: position, statement, recordID.zoneID))
        }
        return StoredRecord(
            recordID: recordID,
            recordType: table.recordType,
            sequenceNumber: statement.int64(2),
            creationDate: try date(statement, 3, "___createTime"),
            creatorName: creatorName,
            modificationDate: try date(statement, 5, "___modTime"),
            lastModifierName: lastModifierName,
            parentName: parentName,
            fields: RecordFields(names: names, values: values, isComplete: isComplete))
    }

    /// The ID of the current row's record.
    mutating func recordID(_ statement: Statement, on connection: Connection) throws -> RecordID {
        guard let name = statement.string(0) else { throw damaged("___recordID", statement) }
        let id = statement.int64(1)
        if id != zone.id {
            guard let found = try connection.zone(id) else { throw damaged("___zone", statement) }
            zone = (id, found)
        }
        return RecordID(recordName: name, zoneID: zone.zoneID)
    }

    /// The number of the current row.
    func row(_ statement: Statement) -> Int64 { statement.int64(8) }

    private func date(_ statement: Statement, _ index: Int32, _ name: String) throws -> Date {
        switch statement.kind(index) {
        case SQLITE_FLOAT, SQLITE_INTEGER: Date(timeIntervalSinceReferenceDate: statement.double(index))
        default: throw damaged(name, statement)
        }
    }

    private mutating func value(
        _ expected: Kind, at index: Int32, position: Int, _ statement: Statement, _ zoneID: RecordZone.ID
    ) throws -> FieldValue? {
        if case .nothing = expected { return nil }
        let kind = statement.kind(index)
        if kind == SQLITE_NULL { return nil }
        switch expected {
        case .nothing: break
        case .string:
            if let text = statement.string(index, kind) { return .string(text) }
        case .int64:
            if kind == SQLITE_INTEGER { return .int64(statement.int64(index)) }
        case .double:
            if kind == SQLITE_FLOAT || kind == SQLITE_INTEGER { return .double(statement.double(index)) }
        case .timestamp:
            if kind == SQLITE_FLOAT || kind == SQLITE_INTEGER {
                return .timestamp(Date(timeIntervalSinceReferenceDate: statement.double(index)))
            }
        case .bytes:
            if kind == SQLITE_BLOB { return .bytes(statement.data(index)) }
        case .reference:
            if let name = targets[position].text(statement, index), statement.kind(index + 1) == SQLITE_INTEGER,
                let action = Reference.Action(rawValue: Int(clamping: statement.int64(index + 1)))
            {
                return .reference(Reference(recordID: RecordID(recordName: name, zoneID: zoneID), action: action))
            }
        case .location:
            if kind == SQLITE_TEXT, let location = try? ListCoding.location(from: statement.utf8(index)) {
                return .location(location)
            }
        case .asset:
            if let text = statement.string(index, kind), let stored = StoredAsset(text) {
                return .asset(Asset(stored))
            }
        case .list:
            if kind == SQLITE_TEXT, let type = columns[position]?.type,
                let list = try? ListCoding.list(of: type.scalar, from: statement.utf8(index), in: zoneID)
            {
                return .list(list)
            }
        }
        throw damaged(columns[position]?.name ?? "", statement)
    }

    private func damaged(_ column: String, _ statement: Statement) -> CabinetError {
        SQLiteFailure.damaged(
            path: path,
            "column \(column) of table \(table.name), row \(row(statement)), does not hold what its field's type asks for"
        )
    }
}

/// The last text of a column, given out again as long as the column holds the same bytes.
private struct RepeatedName {
    private var last = ""

    mutating func text(_ statement: Statement, _ column: Int32) -> String? {
        guard statement.kind(column) == SQLITE_TEXT else { return nil }
        let bytes = statement.utf8(column)
        let isSame = last.withUTF8 { last in
            guard last.count == bytes.count, let left = last.baseAddress, let right = bytes.baseAddress else {
                return false
            }
            return memcmp(left, right, bytes.count) == 0
        }
        if isSame { return last }
        guard let text = Statement.string(bytes) else { return nil }
        last = text
        return text
    }
}
