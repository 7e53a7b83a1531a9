public import Foundation

/// One change of a database.
public enum StorageMutation: Sendable {
    /// Stores a record whose ID is not stored.
    ///
    /// Law: afterwards every requirement of a view that covers the record returns it, and no deletion is remembered under its ID.
    /// The record is complete, and the schema has its type and fields. Its sequence number exceeds those of earlier transactions
    /// in its zone.
    case insert(StoredRecord)

    /// Replaces a stored record by one with the same ID and type.
    ///
    /// The insertion number can change if a copy applies a record that its source has deleted and saved again.
    ///
    /// Law: afterwards the view returns the new record, and nothing of the replaced one: not by old values, not by old
    /// references, and not under the old sequence number. The replaced record is complete and equal to the stored one.
    case update(StoredRecord, replacing: StoredRecord)

    /// Deletes a stored record, and remembers the deletion.
    ///
    /// Law: afterwards no requirement of a view returns the record, and ``StorageSnapshot/changes(in:after:limit:of:)`` returns
    /// its deletion. The replaced record is complete and equal to the stored one.
    case delete(StoredDeletion, replacing: StoredRecord)

    /// Forgets the deletions in a zone up to a sequence number.
    ///
    /// Law: afterwards ``StorageSnapshot/changes(in:after:limit:of:)`` returns no deletion whose number is at most the given one.
    /// Records are not affected.
    ///
    /// - Complexity: at worst in the number of deletions in the zone. The core applies this now and then, not in every write.
    case forgetDeletions(in: RecordZone.ID, through: Int64)

    /// Removes the records of a zone, and forgets its deletions.
    ///
    /// Law: afterwards no requirement of a view returns a record or a change of the zone.
    ///
    /// - Complexity: in the number of the zone's records and deletions.
    case eraseZone(RecordZone.ID)

    /// Adds fields to a record type, and the type itself if the schema lacks it.
    ///
    /// Law: afterwards records of the type can have values of the given types in these fields; records that are already stored
    /// have no values in them. None of the fields is in the type yet. An empty array adds the type alone.
    ///
    /// - Complexity: in the number of fields, not of records.
    case addFields([StoredField], to: Record.RecordType)

    /// Replaces the indexes of a record type.
    ///
    /// Law: afterwards the schema has exactly these indexes of the type, and every query returns the same records as before. A
    /// backend builds the indexes that it can use from the stored records, and drops those that the schema no longer has. It may
    /// go on after the transaction, in small ones of its own, and uses no index that is not yet complete. The core relies on no
    /// index. The schema has the type, and each field of the indexes that is not a ``SystemField``.
    ///
    /// - Complexity: in the number of records of the type, once for each new index.
    case setIndexes(Set<StoredIndex>, of: Record.RecordType)

    /// Renames a record type, or a field of one.
    ///
    /// Law: afterwards every requirement of a view returns what it returned before, under the new name: the values of the field,
    /// or the records and the remembered deletions of the type, the schema, and its indexes. Sequence numbers stay. The schema has
    /// the type or field, and none with the new name. The old name is free: a type or field that is added under it begins empty.
    ///
    /// - Complexity: the same for any number of records. A store that keeps names in its records, or with references in lists,
    ///   may change each of them.
    case rename(SchemaPart, to: String)

    /// Removes an empty record type, or a field without values, from the schema.
    ///
    /// Law: afterwards the schema lacks the type or field, and the indexes of it. The type has no records and no remembered deletions,
    /// and no record has a value in the field. A type or field that is added later under the name begins empty.
    ///
    /// - Complexity: at worst in the number of records of the type.
    case remove(SchemaPart)

    /// Stores a text under a key, or removes the text if it is `nil`.
    ///
    /// Law: afterwards ``StorageSnapshot/load(_:)`` and ``StorageSnapshot/entries(in:limit:)`` return this text for the key, or
    /// none if it is `nil`.
    case setEntry(StorageKey, String?)

    /// Adds an asset whose bytes an upload has received.
    ///
    /// Law: afterwards ``StoredAssets/assets(for:)`` returns the asset. If the asset was already stored, nothing changes. If the
    /// transaction commits, the bytes are as durable as its records. The upload is finished and has not ended. Only backends with
    /// ``StorageAbilities/assets`` receive this mutation.
    ///
    /// - Complexity: the bytes are not copied again.
    case addAsset(StoredAsset, uploadedAs: UUID)

    /// Removes a stored asset that no record has, or that a later mutation of this transaction adds again.
    ///
    /// Law: afterwards ``StoredAssets/assets(for:)`` does not return the asset. The store releases the bytes once no view can
    /// need them, at the latest in ``AssetStorage/removeAbandonedAssets(from:)``. If the transaction is rolled back, the bytes
    /// stay. If the asset is added again, the bytes of the upload replace the stored ones. Only backends with
    /// ``StorageAbilities/assets`` receive this mutation.
    case removeAsset(Asset.Checksum)
}
