import Cabinet

/// Whether a stored record is one that a request could have saved.
enum RecordCheck {
    /// Checks a record, apart from its references.
    static func issues(of record: StoredRecord, schema: StoredSchema, last: Int64) -> [IntegrityIssue] {
        var issues = IntegrityRule.issues(of: record)
        func add(
            _ kind: IntegrityIssue.Kind, _ message: String, _ key: Record.FieldKey? = nil, isRepairable: Bool = false
        ) {
            issues.append(
                IntegrityIssue(
                    kind, message, recordType: record.recordType, recordID: record.recordID, fieldKey: key,
                    isRepairable: isRepairable))
        }
        if record.sequenceNumber < 1 {
            add(
                .sequenceNumber,
                "The record's number is \(record.sequenceNumber); expected at least 1. Save the record again.")
        } else if record.sequenceNumber > last {
            add(
                .sequenceNumber,
                "The record's number is \(record.sequenceNumber), and the last that was assigned is \(last): it will be assigned "
                    + "out twice.", isRepairable: true)
        }
        let types = schema.recordTypes[record.recordType]
        record.fields.forEach { key, value in
            guard let type = types?[key] else {
                return add(.record, "The field is not in the schema of \(record.recordType).", key)
            }
            if type != value.fieldType {
                add(
                    .record,
                    "The field holds \(value.fieldType), but its type in the schema is \(type). Save the field again.",
                    key
                )
            }
        }
        return issues
    }
}
