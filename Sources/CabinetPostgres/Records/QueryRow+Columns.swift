import Cabinet
import Foundation
import SQLSupport

extension QueryCell {
    var date: Date? { double.map(Date.init(timeIntervalSinceReferenceDate:)) }

    var textBytes: UnsafeBufferPointer<UInt8>? { utf8?.bindMemory(to: UInt8.self) }
}

extension QueryRow: SQLRow {
    func value(_ column: Int, of type: FieldType, in zoneID: RecordZone.ID) throws -> FieldValue? {
        if isNull(column) { return nil }
        let found: FieldValue?
        switch type {
        case .string: found = decodedText(column).map(FieldValue.string)
        case .int64: found = integer(column).map(FieldValue.int64)
        case .double: found = double(column).map(FieldValue.double)
        case .timestamp: found = date(column).map(FieldValue.timestamp)
        case .bytes: found = data(column).map(FieldValue.bytes)
        case .reference:
            found = decodedText(column).map {
                .reference(Reference(recordID: RecordID(recordName: $0, zoneID: zoneID), action: .none))
            }
        default: found = nil
        }
        guard let found else { throw damaged("a column has a value of another type than its field") }
        return found
    }

    func date(_ column: Int) -> Date? { cell(column)?.date }

    func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>? { cell(column)?.textBytes }

    static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        StoredText.decoded(UnsafeRawBufferPointer(bytes))
    }

    func damaged(_ description: String) -> CabinetError { PostgresFailure.damaged(description) }
}
