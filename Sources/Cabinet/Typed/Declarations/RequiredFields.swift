/// The fields of a record type that must have a value when a record is first saved.
@usableFromInline
struct RequiredFields: Sendable {
    let recordType: Record.RecordType
    let keys: [Record.FieldKey]

    /// Throws if one of the records that were never saved lacks a required value.
    @usableFromInline
    func validate(_ records: [Record]) throws(CabinetError) {
        if keys.isEmpty { return }
        for record in records { try validate(record) }
    }

    /// Throws if a record that was never saved lacks a required value.
    func validate(_ record: Record) throws(CabinetError) {
        if keys.isEmpty || record.hasChangeTag { return }
        for key in keys where record.fieldValue(forKey: key) == nil && record.misfits[key] == nil {
            throw CabinetError(
                .invalidArguments,
                "The field '\(key)' of \(recordType) has no value. Set it before the record is first saved, or declare "
                    + "it with a default or an optional type.",
                recordID: record.recordID, fieldKey: key)
        }
    }
}

/// The required values of a record type that has none.
public struct NoRequiredFields: Encodable, Sendable {
    /// Creates the empty value.
    public init() {}
}
