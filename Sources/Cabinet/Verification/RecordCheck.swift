import Foundation

/// Whether a stored record is one that could have been saved.
enum RecordCheck {
    /// What is wrong with a record, apart from what it refers to.
    static func complaints(about record: StoredRecord, schema: StoredSchema, last: Int64) -> [StoredDamage] {
        var damages: [StoredDamage] = []
        func add(
            _ kind: StoredDamage.Kind, _ message: String, _ key: Record.FieldKey? = nil, isRepairable: Bool = false
        ) {
            damages.append(
                StoredDamage(
                    kind, message, recordType: record.recordType, recordID: record.recordID, fieldKey: key,
                    isRepairable: isRepairable))
        }
        let name =
            record.recordType == UserRecordRule.recordType ? NameRule.userRecordName : NameRule.recordName
        if let complaint = name.complaint(about: record.recordID.recordName) {
            add(.record, "\(complaint) Save its content under another name, and delete it.")
        }
        for user in [record.creatorName, record.lastModifierName] {
            if let complaint = NameRule.targetRecordName.complaint(about: user) {
                add(.record, "The name of a user of the record cannot be. \(complaint)")
            }
        }
        for date in [record.creationDate, record.modificationDate]
        where !date.timeIntervalSinceReferenceDate.isFinite {
            add(.record, "A date of the record is infinite or not a number.")
        }
        if record.sequenceNumber < 1 {
            add(
                .sequenceNumber,
                "The record's number is \(record.sequenceNumber); expected at least 1. Save the record again.")
        } else if record.sequenceNumber > last {
            add(
                .sequenceNumber,
                "The record's number is \(record.sequenceNumber), and the last that was given out is \(last): it will be given "
                    + "out twice.", isRepairable: true)
        }
        let types = schema.recordTypes[record.recordType]
        record.fields.forEach { key, value in
            guard let type = types?[key] else {
                return add(.record, "The field is not in the schema of \(record.recordType).", key)
            }
            if type != value.fieldType {
                add(
                    .record, "The field holds \(value.fieldType), and \(type) by the schema. Save the field again.", key
                )
            }
        }
        if let violation = ValueRule.violation(in: Record(record)) {
            add(.record, "\(violation.message) Save the record again without it.", violation.fieldKey)
        }
        return damages
    }
}
