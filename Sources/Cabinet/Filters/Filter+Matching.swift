import Foundation

extension Filter {
    /// Returns a Boolean value that indicates whether a record matches the filter.
    ///
    /// The record is evaluated with its unsaved changes. System fields that it does not have yet are nil. The types of
    /// the fields are those of the record's values. To evaluate many records of one type, use ``CompiledFilter``.
    ///
    /// ```swift
    /// let filter = try Filter("number > 3 AND name BEGINSWITH 'M'")
    /// let isShown = try filter.matches(item)
    /// ```
    ///
    /// - Parameter record: The record.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if ``validate(fields:)`` throws it, or if the filter reads a
    ///   field that the record was fetched without, or that holds a value that cannot be saved. The same code if a key
    ///   path of the filter leads to another record; use ``matches(_:resolving:)`` for such a filter.
    ///   ``CabinetError/Code/limitExceeded`` if the evaluation takes more work than ``Limits/defaultWorkPerRequest``.
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled.
    public func matches(_ record: Record) throws -> Bool {
        try matches(record, resolvingStored: .none)
    }

    /// Returns a Boolean value that indicates whether a record matches a filter with key paths through references.
    ///
    /// ```swift
    /// let filter = try Filter("list.name == 'Groceries'")
    /// let isShown = try filter.matches(item) { lists[$0] }
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record, with its unsaved changes.
    ///   - resolver: Returns the record that a reference points to, or `nil` if it does not exist.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``matches(_:)`` does, and the errors of the resolver.
    public func matches(_ record: Record, resolving resolver: (RecordID) throws -> Record?) throws -> Bool {
        // The evaluation keeps no closure.
        try withoutActuallyEscaping(resolver) { resolver in
            try matches(
                record,
                resolvingStored: CompiledFilter.Resolver { id in
                    guard let target = try resolver(id) else { return nil }
                    for key in target.misfits.keys.sorted() { try target.validateValue(key) }
                    return StoredRecord(judging: target)
                })
        }
    }

    private func matches(_ record: Record, resolvingStored resolver: CompiledFilter.Resolver) throws -> Bool {
        var fields: [Record.FieldKey: FieldType] = [:]
        record.fields.forEach { fields[$0] = $1.fieldType }
        // Validated before the tree is walked for its keys, because that is what bounds its depth.
        let types = FieldTypes(fields)
        try validate(fields: types)
        var compiled = CompiledFilter(validated: self, fields: types, absent: record.absentSystemFields)
        for key in keysToFetch(in: types).sorted() where SystemField(rawValue: key) == nil {
            if !record.fields.knows(key) {
                throw CabinetError(
                    .invalidArguments, "The record was fetched without the field '\(key)', which the filter reads.",
                    recordID: record.recordID, fieldKey: key)
            }
            try record.validateValue(key)
        }
        // Outside of a request, one evaluation may do what a request may.
        let meter = WorkMeter.current ?? WorkMeter(limit: WorkMeter.defaultLimit, observesTask: true)
        compiled.meter = meter
        return try WorkMeter.$current.withValue(meter) {
            try compiled.matches(StoredRecord(judging: record), resolving: resolver)
        }
    }
}

extension Record {
    /// Refuses a value that no field can hold.
    fileprivate func validateValue(_ key: FieldKey) throws {
        guard let value = misfits[key] else { return }
        throw CabinetError(
            .invalidArguments, "The field holds \(value), which cannot be saved nor compared.", recordID: recordID,
            fieldKey: key)
    }

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
    /// A record in the form that the evaluator reads.
    ///
    /// Missing system values get placeholders, which are never read: the sequence number marks the record, see
    /// ``wasNeverSaved``.
    fileprivate init(judging record: Record) {
        self.init(
            recordID: record.recordID, recordType: record.recordType,
            sequenceNumber: record.creationDate == nil ? .min : 0,
            creationDate: record.creationDate ?? .distantPast,
            creatorName: record.creatorUserRecordID?.recordName ?? "",
            modificationDate: record.modificationDate ?? .distantPast,
            lastModifierName: record.lastModifiedUserRecordID?.recordName ?? "",
            parentName: record.parent?.recordID.recordName, fields: record.fields)
    }
}
