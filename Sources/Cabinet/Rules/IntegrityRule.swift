import Foundation

/// Checks whether a request could have stored the values in a store, for verifications.
package enum IntegrityRule {
    /// Checks the names, dates and values of a record.
    package static func issues(of record: StoredRecord) -> [IntegrityIssue] {
        var issues: [IntegrityIssue] = []
        func add(_ message: String, _ key: Record.FieldKey? = nil) {
            issues.append(
                IntegrityIssue(
                    .record, message, recordType: record.recordType, recordID: record.recordID, fieldKey: key))
        }
        let name =
            record.recordType == UserRecordRule.recordType ? NameRule.userRecordName : NameRule.recordName
        if let violation = name.violation(in: record.recordID.recordName) {
            add("\(violation.message) Save its content under another name, and delete it.")
        }
        for user in [record.creatorName, record.lastModifierName] {
            if let violation = NameRule.targetRecordName.violation(in: user) {
                add("The name of a user of the record is not valid. \(violation.message)")
            }
        }
        for date in [record.creationDate, record.modificationDate]
        where !date.timeIntervalSinceReferenceDate.isFinite {
            add("A date of the record is infinite or not a number.")
        }
        for path in record.fields.keys.compactMap(IndexedPath.init(hiddenKey:)) {
            let value = try? path.value(in: record.fields)
            if FieldValue.isSame(value ?? nil, record.fields[path.hiddenKey]) { continue }
            add("The index of '\(path.key)' has another value than the record. Save the record again.", path.fieldKey)
        }
        if let violation = ValueRule.violation(in: Record(record)) {
            add("\(violation.message) Save the record again without it.", violation.fieldKey)
        }
        return issues
    }

    /// Checks the names of fields, and the fields of indexes.
    package static func issues(of schema: StoredSchema) -> [IntegrityIssue] {
        var issues: [IntegrityIssue] = []
        for (type, fields) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
            for key in fields.keys.sorted()
            where IndexedPath(hiddenKey: key) == nil && key != StoredRecord.shareKey && key != StoredRecord.serverTagKey
            {
                if ShareRule.isShare(type), Share.SystemFieldKey.types[key] != nil { continue }
                guard let violation = NameRule.fieldKey.violation(in: key) else { continue }
                issues.append(IntegrityIssue(.schema, violation.message, recordType: type, fieldKey: key))
            }
        }
        do {
            var known = Schema(schema)
            // An index of one field belongs to its unique values.
            for name in known.recordTypes.keys { known[name].indexes = known[name].indexes.filter { $0.count > 1 } }
            try SchemaExtensionRule.validate(known)
            _ = try SchemaExtensionRule.changes(to: schema, by: known)
        } catch {
            issues.append(IntegrityIssue(.schema, error.message, fieldKey: error.fieldKey))
        }
        return issues
    }

    /// Checks the name of a zone.
    package static func issue(of id: RecordZone.ID) -> IntegrityIssue? {
        guard id != .default, let violation = NameRule.zoneName.violation(in: id.zoneName) else { return nil }
        return IntegrityIssue(.zone, "\(violation.message) Copy its records into another zone.", zoneID: id)
    }

    /// Checks a subscription.
    package static func issue(of stored: StoredSubscription) -> IntegrityIssue? {
        // The database of the subscription is unknown here; the private database accepts the most subscriptions.
        guard let violation = SubscriptionRule.violation(saving: stored.subscription, in: .private) else { return nil }
        return IntegrityIssue(
            .subscription,
            "The subscription '\(stored.subscription.subscriptionID)' of \(stored.userName) is not valid: "
                + "\(violation.message) Save it again, or delete it.")
    }
}
