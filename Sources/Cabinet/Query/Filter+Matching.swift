import Foundation

extension Filter {
    /// Whether a record matches the filter.
    ///
    /// The record is judged as it is, with changes that were not saved; system fields that it does not have yet are
    /// nil. The types of the fields are those of the record's values. To judge many records of one type, use
    /// ``CompiledFilter``.
    ///
    /// ```swift
    /// let filter = try Filter("number > 3 AND name BEGINSWITH 'M'")
    /// let isShown = try filter.matches(item)
    /// ```
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` where ``validate(fields:)`` does; and if the filter reads a
    ///   field that the record was fetched without, or that holds a value that cannot be saved.
    public func matches(_ record: Record) throws -> Bool {
        var fields: [Record.FieldKey: FieldType] = [:]
        record.fields.forEach { fields[$0] = $1.fieldType }
        // Validated before the tree is walked for its keys, because that is what bounds its depth.
        var compiled = try CompiledFilter(self, fields: FieldTypes(fields), absent: record.absentSystemFields)
        for key in fieldKeys.sorted() where SystemField(rawValue: key) == nil {
            if !record.fields.knows(key) {
                throw CabinetError(
                    .invalidArguments, "The record was fetched without the field '\(key)', which the filter reads.",
                    recordID: record.recordID, fieldKey: key)
            }
            if let value = record.misfits[key] {
                throw CabinetError(
                    .invalidArguments, "The field holds \(value), which cannot be saved nor compared.",
                    recordID: record.recordID, fieldKey: key)
            }
        }
        return try compiled.matches(StoredRecord(judging: record))
    }
}

extension Record {
    /// The system fields that the record does not have, because it was never saved or has no parent.
    fileprivate var absentSystemFields: Set<SystemField> {
        var absent: Set<SystemField> = []
        if creationDate == nil { absent.insert(.creationDate) }
        if modificationDate == nil { absent.insert(.modificationDate) }
        if creatorUserRecordID == nil { absent.insert(.creatorUserRecordID) }
        if lastModifiedUserRecordID == nil { absent.insert(.lastModifiedUserRecordID) }
        if parent == nil { absent.insert(.parent) }
        return absent
    }
}

extension StoredRecord {
    /// A record in the form that the evaluator takes.
    ///
    /// What the record does not have is made up here, and never read.
    fileprivate init(judging record: Record) {
        self.init(
            recordID: record.recordID, recordType: record.recordType, sequenceNumber: 0,
            creationDate: record.creationDate ?? .distantPast,
            creatorName: record.creatorUserRecordID?.recordName ?? "",
            modificationDate: record.modificationDate ?? .distantPast,
            lastModifierName: record.lastModifiedUserRecordID?.recordName ?? "",
            parentName: record.parent?.recordID.recordName, fields: record.fields)
    }
}
