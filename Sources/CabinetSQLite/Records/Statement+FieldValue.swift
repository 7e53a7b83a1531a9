import Cabinet
import Foundation
import SQLSupport

extension Statement {
    /// Binds the value of a field to the parameters of its column.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` for none.
    ///   - column: The field's column.
    ///   - index: The column's first parameter; a reference's action is the second.
    ///   - recordID: The ID of the record with the value.
    ///   - buffer: The buffer for the value's text while the statement runs.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the column cannot store the value exactly.
    func bind(
        _ value: FieldValue?, to column: Table.Column, at index: Int32, of recordID: RecordID, in buffer: TextBuffer
    ) throws {
        guard let value else {
            try bindNull(at: index)
            if column.quotedAction != nil { try bindNull(at: index + 1) }
            return
        }
        func refuse(_ reason: String) -> CabinetError {
            CabinetError(.invalidArguments, reason, recordID: recordID, fieldKey: column.field)
        }
        switch value {
        case .string(let text) where column.type == .string:
            try bind(text, at: index, in: buffer)
        case .int64(let number) where column.type == .int64:
            try bind(number, at: index)
        case .double(let number) where column.type == .double:
            // SQLite would store NULL.
            guard !number.isNaN else { throw refuse("The value is not a number. Save a number, or none.") }
            try bind(number, at: index)
        case .timestamp(let date) where column.type == .timestamp:
            let seconds = date.timeIntervalSinceReferenceDate
            guard !seconds.isNaN else { throw refuse("The date is not a number. Save a date, or none.") }
            try bind(seconds, at: index)
        case .bytes(let data) where column.type == .bytes:
            try bind(data, at: index)
        case .reference(let reference) where column.type == .reference:
            try Self.checkZone(of: reference, from: recordID, field: column.field)
            try bind(reference.recordID.recordName, at: index, in: buffer)
            try bind(Int64(reference.action.rawValue), at: index + 1)
        case .location(let location) where column.type == .location:
            try bind(ListCoding.text(of: location), at: index)
        case .asset(let asset) where column.type == .asset:
            guard let stored = asset.stored else { throw refuse("The asset's bytes are not in the store.") }
            try bind(stored.description, at: index)
        case .list(let list) where column.type == .list(of: list.elementType):
            if case .reference(let references) = list {
                for reference in references { try Self.checkZone(of: reference, from: recordID, field: column.field) }
            }
            try bind(ListCoding.text(of: list), at: index)
        case .encrypted(let value) where column.type == value.fieldType:
            guard let ciphertext = value.ciphertext else { throw refuse("The value is not encrypted.") }
            try bind(ciphertext, at: index)
        default:
            throw refuse("The field holds \(column.type) values; the new value is \(value.fieldType).")
        }
    }

    private static func checkZone(of reference: Reference, from recordID: RecordID, field: Record.FieldKey) throws {
        guard reference.recordID.zoneID == recordID.zoneID else {
            throw CabinetError(
                .invalidArguments,
                "The reference points to \(reference.recordID), which is in another zone than its record.",
                recordID: recordID, fieldKey: field)
        }
    }
}
