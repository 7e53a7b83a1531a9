import CSQLite
import Cabinet
import Foundation
import SQLSupport

/// Decodes the rows of one table as records.
///
/// A class, because reading a field of a structure of this size copies the structure.
final class RowDecoder {
    let table: Table
    // Changed only by the thread that uses the connection, and never while it is read, so a check would find nothing.
    @exclusivity(unchecked) private var columns: RecordColumns
    private let slots: [RecordColumns.Slot]
    /// The number of columns of a record's ID.
    private static let start = 2
    /// The caches of reference fields, by position.
    private let targets: [ReferenceCache?]
    @exclusivity(unchecked) private var zone: (id: Int64, zoneID: RecordZone.ID) = (Layout.defaultZone, .default)

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - table: The table of the rows.
    ///   - keys: The fields to read, or `nil` for all.
    init(table: Table, keys: [Record.FieldKey]?) {
        self.table = table
        let columns = RecordColumns(of: table, keys: keys, from: Self.start)
        self.columns = columns
        slots = columns.slots
        targets = slots.map { $0.scalar == .reference && !$0.isList ? ReferenceCache() : nil }
    }

    /// The columns to select, in the order of decoding.
    var selection: String {
        (SQLColumn.id + SQLColumn.system + columns.fields.quoted).joined(separator: ", ")
    }

    /// Decodes the current row as a record.
    ///
    /// - Parameters:
    ///   - statement: A statement that selects ``selection``.
    ///   - recordID: The record's ID, if it is known.
    ///   - connection: The connection that provides the zones.
    func decode(
        _ statement: Statement, recordID: RecordID? = nil, on connection: Connection
    ) throws -> StoredRecord {
        let recordID = try recordID ?? self.recordID(statement, on: connection)
        var values: [FieldValue?] = []
        values.reserveCapacity(slots.count)
        for position in slots.indices { values.append(try value(at: position, statement, recordID)) }
        let system = statement.systemValues(from: Self.start)
        return try columns.record(recordID, in: statement, system, values, Statement.string)
    }

    /// Forgets the last row's zone, whose number another zone may have in another transaction.
    func forgetZone() {
        if zone.id != Layout.defaultZone { zone = (Layout.defaultZone, .default) }
    }

    /// Returns the number of the current row, which is the record's insertion number.
    func row(_ statement: Statement) -> Int64 { statement.int64(Int32(Self.start + 6)) }

    /// Returns the ID of the current record.
    func recordID(_ statement: Statement, on connection: Connection) throws -> RecordID {
        guard let name = statement.textBytes(0).flatMap(Statement.string) else {
            throw columns.damaged("___recordID", nil, statement)
        }
        let id = statement.int64(1)
        if id != zone.id {
            guard let found = try connection.zone(id) else {
                throw columns.damaged("___zone", RecordID(recordName: name), statement)
            }
            zone = (id, found)
        }
        return RecordID(recordName: name, zoneID: zone.zoneID)
    }

    private func value(at position: Int, _ statement: Statement, _ recordID: RecordID) throws -> FieldValue? {
        let slot = slots[position]
        guard let scalar = slot.scalar else { return nil }
        let index = Int32(truncatingIfNeeded: slot.index)
        let value = statement.value(index)
        let kind = value.kind
        if kind == SQLITE_NULL { return nil }
        switch scalar {
        case _ where slot.isList:
            if kind == SQLITE_TEXT,
                let list = try? ListCoding.list(of: scalar, from: value.utf8, in: recordID.zoneID)
            {
                return .list(list)
            }
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
                let reference = targets[position]?.value(
                    of: value.utf8, action: action.int64, zoneID: recordID.zoneID)
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
        }
        throw columns.damaged(position, recordID, statement)
    }
}
