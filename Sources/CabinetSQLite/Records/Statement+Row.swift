import CSQLite
import Cabinet
import Foundation
import SQLSupport

extension Statement: SQLRow {
    func integer(_ column: Int) -> Int64? {
        let value = value(Int32(column))
        return value.kind == SQLITE_INTEGER ? value.int64 : nil
    }

    func date(_ column: Int) -> Date? {
        let value = value(Int32(column))
        guard value.kind == SQLITE_FLOAT || value.kind == SQLITE_INTEGER else { return nil }
        return Date(timeIntervalSinceReferenceDate: value.double)
    }

    func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>? {
        let value = value(Int32(column))
        return value.kind == SQLITE_TEXT ? value.utf8 : nil
    }

    /// Returns the values that every record has.
    func systemValues(from start: Int) -> SystemValues {
        let parent = value(Int32(start + 5))
        let parentKind = parent.kind
        return SystemValues(
            sequenceNumber: integer(start), creationDate: date(start + 1), creator: textBytes(start + 2),
            modificationDate: date(start + 3), modifier: textBytes(start + 4), hasParent: parentKind != SQLITE_NULL,
            parent: parentKind == SQLITE_TEXT ? parent.utf8 : nil, insertionNumber: integer(start + 6))
    }

    func isNull(_ column: Int) -> Bool { kind(Int32(column)) == SQLITE_NULL }

    func value(_ column: Int, of type: FieldType, in zoneID: RecordZone.ID) throws -> FieldValue? {
        let column = Int32(column)
        let kind = kind(column)
        if kind == SQLITE_NULL { return nil }
        switch (type.scalar, kind) {
        case _ where type.isList: break
        case (.string, SQLITE_TEXT): if let text = string(column) { return .string(text) }
        case (.int64, SQLITE_INTEGER): return .int64(int64(column))
        case (.int64, SQLITE_FLOAT), (.double, SQLITE_INTEGER), (.double, SQLITE_FLOAT): return .double(double(column))
        case (.timestamp, SQLITE_INTEGER), (.timestamp, SQLITE_FLOAT):
            return .timestamp(Date(timeIntervalSinceReferenceDate: double(column)))
        case (.bytes, SQLITE_BLOB): return .bytes(data(column))
        case (.reference, SQLITE_TEXT):
            if let name = string(column) {
                return .reference(Reference(recordID: RecordID(recordName: name, zoneID: zoneID), action: .none))
            }
        case (.location, SQLITE_TEXT):
            if let location = try? ListCoding.location(from: utf8(column)) { return .location(location) }
        default: break
        }
        throw damaged("a column has a value of another type than its field")
    }

    func damaged(_ description: String) -> CabinetError { SQLiteFailure.damaged(path: handle.path, description) }
}
