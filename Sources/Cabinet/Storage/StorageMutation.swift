public import Foundation

/// One change of a database.
public enum StorageMutation: Sendable {
    /// Stores a record whose ID is not stored.
    ///
    /// Law: afterwards it is found in every way that a view has, and a deletion under its ID is forgotten. The record is complete, and its
    /// type and fields are in the schema. In its zone, its sequence number exceeds those of earlier transactions.
    case insert(StoredRecord)

    /// Replaces a stored record by one of the same ID and type.
    ///
    /// The insertion number may be another one, when a copy meets a record that was deleted and saved again in its source.
    ///
    /// Law: afterwards it is found as it is now, and in no way as it was: neither by old values, nor old references, nor its old number.
    /// The replaced record is what was stored, complete.
    case update(StoredRecord, replacing: StoredRecord)

    /// Removes a stored record, and remembers that it was deleted.
    ///
    /// Law: afterwards the record is not found in any way, and ``StorageSnapshot/changes(in:after:limit:of:)`` has its deletion. The
    /// replaced record is what was stored, complete.
    case delete(StoredDeletion, replacing: StoredRecord)

    /// Forgets deletions in a zone whose sequence numbers are not above the given one.
    ///
    /// Law: afterwards ``StorageSnapshot/changes(in:after:limit:of:)`` has none of them. Records are not affected.
    ///
    /// - Complexity: at worst in the number of deletions in the zone. The core asks now and then, not in every write.
    case forgetDeletions(in: RecordZone.ID, through: Int64)

    /// Removes a zone's records and forgets its deletions.
    ///
    /// Law: afterwards no record of the zone is found in any way, and it has no changes.
    ///
    /// - Complexity: in the number of records in the zone, and of deletions in it.
    case eraseZone(RecordZone.ID)

    /// Adds fields to a record type, and the type itself if it is not in the schema.
    ///
    /// Law: afterwards records of the type can hold values of these types in these fields; records that are stored have none in them.
    /// None of the fields is in the type yet; there may be none at all, to add only the type.
    ///
    /// - Complexity: in the number of fields, not of records.
    case addFields([StoredField], to: Record.RecordType)

    /// Replaces the indexes of a record type.
    ///
    /// Law: afterwards the schema has them, and every query answers as it did before. A backend builds those that it can use from the
    /// records that are stored, and drops those that the schema no longer has. The type is in the schema, and so are the indexes' fields.
    ///
    /// - Complexity: in the number of records of the type, once for each new index.
    case setIndexes(Set<StoredIndex>, of: Record.RecordType)

    /// Stores a text under a key, or removes what is stored under it if the text is `nil`.
    ///
    /// Law: afterwards ``StorageSnapshot/load(_:)`` and ``StorageSnapshot/entries(in:limit:)`` find it, and it alone under the key.
    case setEntry(StorageKey, String?)

    /// Adds an asset, whose bytes an upload has taken in.
    ///
    /// Law: afterwards the asset is found; if it was there already, nothing has changed. If the transaction is committed, the bytes are
    /// as durable as its records. The upload is finished and not ended. Only backends with ``StorageAbilities/assets`` receive it.
    ///
    /// - Complexity: the bytes are not copied once more.
    case addAsset(StoredAsset, uploadedAs: UUID)

    /// Removes a stored asset that no record has, or that a later mutation of this transaction adds again.
    ///
    /// Law: afterwards it is not found. Its bytes are released when no view can need them any more, at the latest by
    /// ``AssetStorage/removeAbandonedAssets(from:)``; if the transaction is rolled back, they stay. If it is added again, the bytes of the
    /// upload take the place of those that were there. Only backends with ``StorageAbilities/assets`` receive it.
    case removeAsset(Asset.Checksum)
}
