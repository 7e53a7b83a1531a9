extension StorageSnapshot {
    /// Returns the rights of a user in the zones of another user's database, by their shares as they are stored.
    func shareAccess(to zoneIDs: [RecordZone.ID], for user: String) async throws -> ShareAccess {
        let keys = ShareAccessKeys(zoneIDs, user: user)
        if keys.entryRanges.isEmpty { return ShareAccess() }
        return try keys.access(try await load(StorageKeys(entryRanges: keys.entryRanges)).entryRanges)
    }
}

extension StoredSchema {
    /// Whether hierarchies are or were shared: the shares themselves have the hidden field.
    var hasHierarchies: Bool { recordTypes[Share.recordType]?[StoredRecord.shareKey] != nil }

    /// Returns the fields to load, so that roots have their shares.
    func keysWithShare(_ keys: [Record.FieldKey]?) -> [Record.FieldKey]? {
        hasHierarchies ? keys?.ofFields.adding([StoredRecord.shareKey]) : keys?.ofFields
    }
}

extension FieldTypes {
    /// Returns the fields to load, so that roots have their shares.
    func keysWithShare(_ keys: [Record.FieldKey]?) -> [Record.FieldKey]? {
        own[StoredRecord.shareKey] == nil ? keys?.ofFields : keys?.ofFields.adding([StoredRecord.shareKey])
    }
}

extension [Record.FieldKey] {
    /// The keys that fields can have: a record that was fetched with another one, such as a system field's, could not be saved.
    var ofFields: Self {
        filter {
            NameGrammar.identifier.allows($0) && !NameGrammar.reservedFieldKeys.contains($0)
                || Share.SystemFieldKey.types[$0] != nil
        }
    }
}
