import CSQLite
import Cabinet
import Foundation
import SQLSupport

/// Decodes the rows of one table as records.
///
/// The columns are mapped to fields once, not for each row.
struct RowDecoder {
    let table: Table
    private let fields: FieldSelection
    private let slots: [Slot]
    private let path: String

    // Adjacent rows often have the same names. A comparison of bytes avoids creating the same string again.
    private var creator = StringCache()
    private var modifier = StringCache()
    private var parent = StringCache()
    private var attribution: StoredRecord.Attribution?
    /// The caches of reference fields, by position.
    private let targets: [ReferenceCache?]
    private var zone: (id: Int64, zoneID: RecordZone.ID) = (Layout.defaultZone, .default)

    /// The value to decode for a field, and its column.
    ///
    /// It contains no object references, so reading it needs no reference counting.
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

    /// The number of system columns, which precede the fields' columns.
    private static let firstField = 9

    /// The system columns that every row must have, in the order of decoding.
    private static let systemColumns =
        #""___recordID", "___zone", "___etag", "___createTime", "___createdBy", "___modTime", "___modifiedBy", "#
        + #""___parent", "___insertion""#

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - table: The table of the rows.
    ///   - keys: The fields to read, or `nil` for all.
    ///   - path: The file's path, for errors.
    init(table: Table, keys: [Record.FieldKey]?, path: String) {
        self.table = table
        self.path = path
        fields = FieldSelection(keys, of: table.fields)
        targets = fields.columns.map { $0?.type == .reference ? ReferenceCache() : nil }
        slots = fields.slots(from: Self.firstField) { Slot(kind: Kind($0?.type), index: Int32($1)) }.slots
    }

    /// The columns to select, in the order of decoding.
    var selection: String {
        ([Self.systemColumns] + fields.quoted).joined(separator: ", ")
    }

    /// Decodes the current row as a record.
    ///
    /// - Parameters:
    ///   - statement: A statement that selects ``selection``.
    ///   - recordID: The record's ID, if it is known.
    ///   - connection: The connection that provides the zones.
    mutating func decode(
        _ statement: Statement, recordID: RecordID? = nil, on connection: Connection
    ) throws -> StoredRecord {
        let recordID = try recordID ?? self.recordID(statement, on: connection)
        let sequenceNumber = statement.value(2)
        guard sequenceNumber.kind == SQLITE_INTEGER else { throw damaged("___etag", statement) }
        let attribution = try attribution(statement)
        var values: [FieldValue?] = []
        values.reserveCapacity(slots.count)
        for position in slots.indices {
            let slot = slots[position]
            values.append(try value(slot.kind, at: slot.index, position: position, statement, recordID.zoneID))
        }
        return StoredRecord(
            recordID: recordID,
            sequenceNumber: sequenceNumber.int64,
            insertionNumber: row(statement),
            creationDate: try date(statement, 3, "___createTime"),
            modificationDate: try date(statement, 5, "___modTime"),
            attribution: attribution,
            fields: FieldValues(names: fields.names, values: values, isComplete: fields.isComplete))
    }

    /// Returns the type, the users and the parent of the current record, shared with the previous one if they are
    /// equal.
    private mutating func attribution(_ statement: Statement) throws -> StoredRecord.Attribution {
        guard creator.read(statement.value(4)) else { throw damaged("___createdBy", statement) }
        if creator.isNew { attribution = nil }
        guard modifier.read(statement.value(6)) else { throw damaged("___modifiedBy", statement) }
        if modifier.isNew { attribution = nil }
        let parentValue = statement.value(7)
        let hasParent = parentValue.kind != SQLITE_NULL
        if hasParent {
            guard parent.read(parentValue) else { throw damaged("___parent", statement) }
            if parent.isNew { attribution = nil }
        }
        if let attribution, hasParent == (attribution.parentName != nil) { return attribution }
        let new = StoredRecord.Attribution(
            recordType: table.recordType, creatorName: creator.text, lastModifierName: modifier.text,
            parentName: hasParent ? parent.text : nil)
        attribution = new
        return new
    }

    /// Returns the ID of the current record.
    mutating func recordID(_ statement: Statement, on connection: Connection) throws -> RecordID {
        let value = statement.value(0)
        guard value.kind == SQLITE_TEXT, let name = Statement.string(value.utf8) else {
            throw damaged("___recordID", statement)
        }
        let id = statement.int64(1)
        if id != zone.id {
            guard let found = try connection.zone(id) else { throw damaged("___zone", statement) }
            zone = (id, found)
        }
        return RecordID(recordName: name, zoneID: zone.zoneID)
    }

    /// Returns the number of the current row, which is the record's insertion number.
    func row(_ statement: Statement) -> Int64 { statement.int64(8) }

    private func date(_ statement: Statement, _ index: Int32, _ name: String) throws -> Date {
        let value = statement.value(index)
        switch value.kind {
        case SQLITE_FLOAT, SQLITE_INTEGER: return Date(timeIntervalSinceReferenceDate: value.double)
        default: throw damaged(name, statement)
        }
    }

    private func value(
        _ expected: Kind, at index: Int32, position: Int, _ statement: Statement, _ zoneID: RecordZone.ID
    ) throws -> FieldValue? {
        if case .nothing = expected { return nil }
        let value = statement.value(index)
        let kind = value.kind
        if kind == SQLITE_NULL { return nil }
        switch expected {
        case .nothing: break
        case .string:
            if kind == SQLITE_TEXT, let text = Statement.string(value.utf8) { return .string(text) }
        case .int64:
            if kind == SQLITE_INTEGER { return .int64(value.int64) }
        case .double:
            if kind == SQLITE_FLOAT || kind == SQLITE_INTEGER { return .double(value.double) }
        case .timestamp:
            if kind == SQLITE_FLOAT || kind == SQLITE_INTEGER {
                return .timestamp(Date(timeIntervalSinceReferenceDate: value.double))
            }
        case .bytes:
            if kind == SQLITE_BLOB { return .bytes(statement.data(index)) }
        case .reference:
            let action = statement.value(index + 1)
            if kind == SQLITE_TEXT, action.kind == SQLITE_INTEGER,
                let reference = targets[position]?.value(of: value.utf8, action: action.int64, zoneID: zoneID)
            {
                return reference
            }
        case .location:
            if kind == SQLITE_TEXT, let location = try? ListCoding.location(from: value.utf8) {
                return .location(location)
            }
        case .asset:
            if kind == SQLITE_TEXT, let text = Statement.string(value.utf8), let stored = StoredAsset(text) {
                return .asset(Asset(stored))
            }
        case .list:
            if kind == SQLITE_TEXT, let type = fields.columns[position]?.type,
                let list = try? ListCoding.list(of: type.scalar, from: value.utf8, in: zoneID)
            {
                return .list(list)
            }
        }
        throw damaged(fields.columns[position]?.name ?? "", statement)
    }

    private func damaged(_ column: String, _ statement: Statement) -> CabinetError {
        SQLiteFailure.damaged(
            path: path,
            "column \(column) of table \(table.name), row \(row(statement)), has a value of another type"
        )
    }
}
