public import Foundation

/// A view of one database that changes can be made in, valid while the closure of ``StorageBackend/write(_:_:)`` runs.
///
/// Law: what is read in a transaction contains what was written before in it, and only what was written in it is written. A call that
/// throws leaves its transaction to be undone: nobody goes on with it.
///
/// Unless a requirement says otherwise, it costs in the number of what it is given, and a handful of round trips however many that are.
public protocol StorageTransaction: StorageSnapshot {
    /// Reserves numbers for the changes of this transaction.
    ///
    /// Law: the numbers are above all that were reserved by transactions that committed before, so that the order of numbers is
    /// the order of changes. Numbers may be left out. Those of a transaction that is undone may come again.
    ///
    /// - Parameter count: How many consecutive numbers to reserve; at least one.
    /// - Returns: The first of them, at least 1.
    /// - Complexity: constant.
    func reserveSequenceNumbers(_ count: Int) async throws -> Int64

    /// Adds fields to a record type, and the type itself if there is none of the name.
    ///
    /// Law: afterwards records of the type can hold values of these types in these fields; old records have none in them.
    ///
    /// - Parameters:
    ///   - fields: The new fields; maybe none, to add only the type. None of them is in the type yet.
    ///   - recordType: The type to add them to.
    /// - Complexity: in the number of fields, not of records.
    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws

    /// Makes the indexes of a record type those that are given, and no others.
    ///
    /// Law: afterwards ``StorageSnapshot/schema()`` has them, and every query answers as it did before. A backend builds those
    /// that it can make use of, from the records that there are, and drops those that nobody asks for any more.
    ///
    /// - Parameters:
    ///   - indexes: The indexes; their fields are in the schema, and have types that can be indexed so.
    ///   - recordType: A type that is in the schema.
    /// - Complexity: in the number of records of the type, once for each new index.
    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws

    /// Adds zones, which have no records yet.
    ///
    /// Law: afterwards they are found, as they were given. The default zone may be among them in a database that is copied to: it then
    /// has the given state, whether it was there or not, and its records stay.
    ///
    /// - Parameter zones: Zones that are not there, unless it is the default zone, and none twice; their numbers may exceed all that
    ///   were reserved.
    func add(_ zones: [StoredZone]) async throws

    /// Removes zones with all records in them, and all that is remembered of deletions in them.
    ///
    /// Law: afterwards neither the zones nor any record in them is found, in whatever way, but their removal is; and a zone that is
    /// added again under the same ID is empty.
    ///
    /// - Parameters:
    ///   - ids: Zones that are there, none twice.
    ///   - sequenceNumber: The number of the removal, which this transaction has reserved.
    /// - Complexity: in the number of records in the zones, and of deletions remembered in them.
    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws

    /// Notes that something has changed in zones.
    ///
    /// Law: afterwards their ``StoredZone/changeNumber`` is the given one.
    ///
    /// - Parameters:
    ///   - ids: Zones that are there, none twice; the default zone may be one of them.
    ///   - sequenceNumber: The highest number of the changes, which this transaction has reserved.
    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws

    /// Forgets old deletions in a zone.
    ///
    /// Law: afterwards every deletion is remembered that is both younger than the date and among the last so many of the zone; a
    /// backend may remember more. The zone's ``StoredZone/expirationNumber`` is at least the number of every deletion that was
    /// forgotten.
    ///
    /// - Parameters:
    ///   - zoneID: A zone that is there.
    ///   - date: The date that all deletions are younger than that must be kept.
    ///   - count: How many of the last deletions must be kept.
    /// - Complexity: at worst in the number of deletions remembered. The core asks now and then, not in every write.
    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) async throws

    /// Stores subscriptions.
    ///
    /// Law: afterwards they are found; each has replaced the one that its user had under the same ID.
    ///
    /// - Parameter subscriptions: The subscriptions, none twice.
    func put(_ subscriptions: [StoredSubscription]) async throws

    /// Removes subscriptions.
    ///
    /// Law: afterwards they are not found. Other users' subscriptions with the same IDs stay.
    ///
    /// - Parameters:
    ///   - ids: The IDs of subscriptions of the user, none twice.
    ///   - userName: The user.
    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) async throws

    /// Stores notifications.
    ///
    /// Law: each replaces an earlier one of its user that has the same ``StoredNotification/replacementKey``, if it has one.
    ///
    /// - Parameter notifications: Notifications in the ascending order of their numbers, which this transaction has reserved.
    func post(_ notifications: [StoredNotification]) async throws

    /// Forgets a user's old notifications.
    ///
    /// Law: afterwards every notification is remembered that is both younger than the date and among the user's last so many; a
    /// backend may remember more. ``StorageSnapshot/notificationExpirationNumber(of:)`` is at least the number of every one that
    /// was forgotten, and below that of every one that is remembered.
    ///
    /// - Parameters:
    ///   - userName: The user.
    ///   - date: The date that all notifications are younger than that must be kept.
    ///   - count: How many of the last notifications must be kept.
    /// - Complexity: at worst in the number of the user's notifications. The core asks now and then, not in every write.
    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) async throws

    /// Adds an asset, whose bytes an upload has taken in.
    ///
    /// Law: afterwards the asset is found; if it was there already, nothing has changed. If the transaction is committed, the bytes are
    /// as durable as its records.
    ///
    /// Optional: without it, ``CabinetError/Code/serverRejectedRequest`` is thrown.
    ///
    /// - Parameters:
    ///   - asset: The checksum and number of the bytes, which the core has computed.
    ///   - id: The ID of an upload to this database that is finished and not ended.
    /// - Complexity: the bytes are not copied once more.
    func add(_ asset: StoredAsset, uploadedAs id: UUID) async throws

    /// Removes assets.
    ///
    /// Law: afterwards they are not found. Their bytes are given back when nobody can need them any more, at the latest by
    /// ``StorageBackend/removeAbandonedAssets(from:)``; if the transaction is undone, they stay.
    ///
    /// Optional: without it, nothing is removed.
    ///
    /// - Parameter checksums: Checksums of stored assets, none twice, that no record has, or that this transaction adds anew: then the
    ///   bytes of the upload take the place of those that were there.
    func removeAssets(_ checksums: [Asset.Checksum]) async throws

    /// Makes anew whatever the store has made of the records.
    ///
    /// Law: afterwards indexes, look-ups by ID, references by target and whatever else follows from the records agree with them; no
    /// deletion is remembered of a record that is stored; and no record has changed. What cannot be read is left out, and left as it is.
    ///
    /// Optional: without it, nothing is made anew, which is right for a store in which nothing can disagree.
    ///
    /// - Complexity: in the number of records, and of what is made of them.
    func rebuildIndexes() async throws

    /// Stores records whose IDs are not stored yet.
    ///
    /// Law: afterwards each is found in every way that a view has, and a deletion under its ID is not remembered any more.
    ///
    /// - Parameter records: Complete records, no ID twice, whose types and fields are in the schema, and whose zones are there. Their
    ///   numbers were reserved, maybe by an earlier transaction; in each zone they exceed those of earlier transactions.
    func insert(_ records: [StoredRecord]) async throws

    /// Replaces stored records.
    ///
    /// Law: afterwards each is found as it is now, and in no way as it was: neither by old values, nor old references, nor its old number.
    ///
    /// - Parameter records: Complete records, no ID twice, whose IDs are stored, with the type that is stored.
    func update(_ records: [StoredRecord]) async throws

    /// Removes stored records, and remembers that they are gone.
    ///
    /// Law: afterwards they are not found in whatever way, and ``StorageSnapshot/changes(inZone:after:limit:keys:)`` has their deletions.
    ///
    /// - Parameters:
    ///   - ids: IDs that are stored, none twice.
    ///   - firstSequenceNumber: The number of the first record's deletion; the others' follow it, in the order of the IDs. This
    ///     transaction has reserved them.
    ///   - date: When the records were deleted.
    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) async throws
}
