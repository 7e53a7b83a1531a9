import Cabinet

// Faults that each affect one kind of value or mutation.
extension Fault {
    /// Applies other mutations instead of each; none if the closure returns none.
    mutating func replaceMutations(_ replace: @escaping @Sendable (StorageMutation) -> [StorageMutation]) {
        applied = { [applied] in applied($0).flatMap(replace) }
    }

    /// Ignores some mutations.
    mutating func ignoreMutations(where isIgnored: @escaping @Sendable (StorageMutation) -> Bool) {
        replaceMutations { isIgnored($0) ? [] : [$0] }
    }

    /// Changes the records that are inserted.
    mutating func mapInserted(_ change: @escaping @Sendable (inout StoredRecord) -> Void) {
        replaceMutations { mutation in
            guard case .insert(var record) = mutation else { return [mutation] }
            change(&record)
            return [.insert(record)]
        }
    }

    /// Changes the records that replace others.
    mutating func mapUpdated(_ change: @escaping @Sendable (inout StoredRecord, _ old: StoredRecord) -> Void) {
        replaceMutations { mutation in
            guard case .update(var record, let old) = mutation else { return [mutation] }
            change(&record, old)
            return [.update(record, replacing: old)]
        }
    }

    /// Changes the fields that are added.
    mutating func mapAdded(_ change: @escaping @Sendable (StoredField) -> StoredField) {
        replaceMutations { mutation in
            guard case .addFields(let fields, let recordType) = mutation else { return [mutation] }
            return [.addFields(fields.map(change), to: recordType)]
        }
    }

    /// Changes the records that are loaded by ID.
    mutating func mapLoaded(_ change: @escaping @Sendable ([StoredRecord?], _ ids: [RecordID]) -> [StoredRecord?]) {
        loaded = { [loaded] values, keys in
            var values = loaded(values, keys)
            values.records = change(values.records, keys.records)
            return values
        }
    }

    /// Changes the set of existing records.
    mutating func mapExisting(_ change: @escaping @Sendable (_ exists: Bool, _ id: RecordID) -> Bool) {
        loaded = { [loaded] values, keys in
            var values = loaded(values, keys)
            values.existing = zip(values.existing, keys.existing).map(change)
            return values
        }
    }

    /// Changes the schema that is loaded.
    mutating func mapSchema(_ change: @escaping @Sendable (inout StoredSchema) -> Void) {
        loaded = { [loaded] values, keys in
            var values = loaded(values, keys)
            change(&values.schema)
            return values
        }
    }

    /// Changes the ranges of entries that are loaded.
    mutating func mapEntryRanges(_ change: @escaping @Sendable (Range<StorageKey>) -> Range<StorageKey>) {
        keys = { [keys] in
            var keys = keys($0)
            keys.entryRanges = keys.entryRanges.map(change)
            return keys
        }
    }

    /// Changes the entries that are read in any way; `nil` loses one.
    mutating func mapEntries(_ change: @escaping @Sendable (StorageEntry) -> StorageEntry?) {
        loaded = { [loaded] values, keys in
            var values = loaded(values, keys)
            values.entries = zip(keys.entries, values.entries).map { key, text in
                text.flatMap { change(StorageEntry(key: key, text: $0))?.text }
            }
            values.entryRanges = values.entryRanges.map { $0.compactMap(change) }
            return values
        }
        entries = { [entries] in entries($0).compactMap(change) }
    }

    /// Loses the entries whose keys begin with a text.
    mutating func loseEntries(_ prefix: String) {
        mapEntries { $0.key.text.hasPrefix(prefix) ? nil : $0 }
    }

    /// Ignores mutations of keys that begin with a text.
    mutating func ignoreEntries(
        _ prefix: String, where isIgnored: @escaping @Sendable (String?) -> Bool = { _ in true }
    ) {
        ignoreMutations { mutation in
            guard case .setEntry(let key, let text) = mutation else { return false }
            return key.text.hasPrefix(prefix) && isIgnored(text)
        }
    }
}

extension StoredRecord {
    /// The record with every value replaced.
    func mapValues(_ transform: (FieldValue) -> FieldValue?) -> StoredRecord {
        var record = self
        record.fields = FieldValues(
            names: fields.names, values: fields.values.map { $0.flatMap(transform) }, isComplete: fields.isComplete)
        return record
    }
}
