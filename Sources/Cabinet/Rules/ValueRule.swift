import Foundation

/// The rules for the values of a record, independent of the schema.
///
/// A record is checked when it is saved, as in CloudKit.
package enum ValueRule {
    /// Returns the error if a record cannot be saved in any database.
    package static func violation(in record: Record) -> CabinetError? {
        func error(_ message: String, _ key: Record.FieldKey? = nil) -> CabinetError {
            CabinetError(.invalidArguments, message, recordID: record.recordID, fieldKey: key)
        }
        let isShare = ShareRule.isShare(record.recordType)
        if !isShare, let violation = NameRule.recordType.violation(in: record.recordType, recordID: record.recordID) {
            return violation
        }
        if let (key, value) = record.misfits.first {
            return error(
                "The field cannot hold \(value): expected text, a number that fits 64 bits, a date, data, a reference, a location, an asset, or a flat list of one of them.",
                key)
        }
        // Many records share their names, so the names are checked once. The values are checked in the order of their names, so
        // that the error is that of the first field.
        let areNamesValid = record.fields.names.areValid
        for (position, value) in record.fields.values.enumerated() {
            let key = record.fields.names.names[position]
            if let type = Share.SystemFieldKey.types[key], isShare {
                if let value, value.fieldType != type { return error("This part of a share is of type \(type).", key) }
            } else if !areNamesValid {
                if let violation = NameRule.fieldKey.violation(in: key, recordID: record.recordID, fieldKey: key) {
                    return violation
                }
                if let reason = NameGrammar.refusal(ofReserved: key) { return error(reason, key) }
            }
            if let value, let reason = reason(toReject: value, in: record) { return error(reason, key) }
        }
        if let parent = record.parent {
            if parent.action != .none {
                return error(
                    "A parent reference must have the action 'none'; this one has '\(parent.action)'.", "parent")
            }
            if let reason = reason(toReject: parent, in: record) { return error(reason, "parent") }
        }
        return nil
    }

    /// Returns why a record cannot have a value; `nil` if it can.
    static func reason(toReject value: FieldValue, in record: Record) -> String? {
        switch value {
        case .string, .int64, .bytes, .asset: nil
        case .encrypted(let value): value.ciphertext == nil ? "The value is not encrypted." : nil
        case .double(let number):
            number.isNaN ? "Not-a-number cannot be stored, because it has no order." : nil
        case .timestamp(let date):
            date.timeIntervalSinceReferenceDate.isFinite ? nil : "The date is infinite or not a number."
        case .reference(let reference): reason(toReject: reference, in: record)
        case .location(let location): reason(toReject: location)
        case .list(let list): list.elements.lazy.compactMap { reason(toReject: $0, in: record) }.first
        }
    }

    private static func reason(toReject reference: Reference, in record: Record) -> String? {
        if reference.recordID.zoneID != record.recordID.zoneID {
            return "The reference points to the zone '\(reference.recordID.zoneID)', and the record is in "
                + "'\(record.recordID.zoneID)'. References stay in one zone; store the ID as text to point elsewhere."
        }
        return NameRule.targetRecordName.violation(in: reference.recordID.recordName)?.message
    }

    private static func reason(toReject location: Location) -> String? {
        if !(-90...90).contains(location.latitude) {
            return "The latitude \(location.latitude) is not within -90 to 90 degrees."
        }
        if !(-180...180).contains(location.longitude) {
            return "The longitude \(location.longitude) is not within -180 to 180 degrees."
        }
        let others = [
            location.altitude, location.horizontalAccuracy, location.verticalAccuracy, location.course, location.speed,
            location.timestamp?.timeIntervalSinceReferenceDate,
        ]
        return others.contains { $0?.isFinite == false }
            ? "A component of the location is infinite or not a number." : nil
    }
}

extension FieldValue {
    /// Whether the value has no negative zero.
    fileprivate var isNormalized: Bool {
        switch self {
        case .double(let number): !number.isNegativeZero
        case .list(.double(let numbers)): !numbers.contains(where: \.isNegativeZero)
        default: true
        }
    }

    /// The value in the form that every backend can store: without a negative zero.
    var normalized: FieldValue {
        switch self {
        case .double(let number) where number == 0: .double(0)
        case .list(.double(let numbers)): .list(.double(numbers.map { $0 == 0 ? 0 : $0 }))
        default: self
        }
    }
}

extension FieldValues {
    /// The fields of a new record in the form that every backend can store.
    ///
    /// They are complete: a new record that was created from a partial fetch has no other values.
    var normalized: FieldValues {
        // Avoid copying the fields, because nearly all are normalized already.
        if isComplete, values.allSatisfy({ $0?.isNormalized ?? true }) { return self }
        return FieldValues(names: names, values: values.map { $0?.normalized })
    }
}

extension Double {
    fileprivate var isNegativeZero: Bool { self == 0 && sign == .minus }
}
