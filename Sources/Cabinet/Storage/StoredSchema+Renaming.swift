// The effect of ``StorageMutation/rename(_:to:)`` on values, for backends that store them unchanged.

extension StoredSchema {
    /// Renames a record type, or a field of one and in the type's indexes.
    ///
    /// - Parameters:
    ///   - part: The record type or field; without it, nothing changes.
    ///   - newName: The new name of the type or field, which the schema lacks.
    public mutating func rename(_ part: SchemaPart, to newName: String) {
        guard let old = part.fieldKey else {
            recordTypes[newName] = recordTypes.removeValue(forKey: part.recordType)
            indexes[newName] = indexes.removeValue(forKey: part.recordType)
            return
        }
        guard let type = recordTypes[part.recordType]?.removeValue(forKey: old) else { return }
        recordTypes[part.recordType]?[newName] = type
        indexes[part.recordType] = indexes[part.recordType].map { Set($0.map { $0.renaming(old, to: newName) }) }
    }
}

extension StoredSchema {
    /// Removes a record type, or a field of one and the type's indexes that name it.
    ///
    /// - Parameter part: The record type or field; without it, nothing changes.
    public mutating func remove(_ part: SchemaPart) {
        guard let key = part.fieldKey else {
            recordTypes[part.recordType] = nil
            indexes[part.recordType] = nil
            return
        }
        recordTypes[part.recordType]?[key] = nil
        let rest = (indexes[part.recordType] ?? []).filter { !$0.has(key) }
        indexes[part.recordType] = rest.isEmpty ? nil : rest
    }
}

extension StoredIndex {
    /// Whether the index has a field.
    fileprivate func has(_ key: Record.FieldKey) -> Bool {
        switch self {
        case .queryable(key), .sortable(key), .searchable(key): true
        case .compound(let keys): keys.contains(key)
        default: false
        }
    }

    /// Returns the index with another name of a field.
    fileprivate func renaming(_ old: Record.FieldKey, to new: Record.FieldKey) -> StoredIndex {
        switch self {
        case .queryable(old): .queryable(new)
        case .sortable(old): .sortable(new)
        case .searchable(old): .searchable(new)
        case .compound(let keys): .compound(keys.map { $0 == old ? new : $0 })
        default: self
        }
    }
}

extension StoredRecord {
    /// Returns the record after a record type, or a field of one, was renamed.
    ///
    /// - Parameters:
    ///   - part: The record type or field; a record of another type does not change.
    ///   - newName: The new name of the type or field.
    public func renaming(_ part: SchemaPart, to newName: String) -> StoredRecord {
        guard recordType == part.recordType else { return self }
        var record = self
        if let old = part.fieldKey {
            guard let value = fields[old] else { return self }
            record.fields[old] = nil
            record.fields[newName] = value
        } else {
            record.recordType = newName
        }
        return record
    }
}

extension StoredDeletion {
    /// Returns the deletion after a record type, or a field of one, was renamed.
    ///
    /// - Parameters:
    ///   - part: The record type or field; a deletion of another type does not change.
    ///   - newName: The new name of the type or field.
    public func renaming(_ part: SchemaPart, to newName: String) -> StoredDeletion {
        guard part.fieldKey == nil, recordType == part.recordType else { return self }
        return StoredDeletion(recordID: recordID, recordType: newName, sequenceNumber: sequenceNumber, date: date)
    }
}
