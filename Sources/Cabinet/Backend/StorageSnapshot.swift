public import Foundation

/// An unchanging view of one database, valid while the closure of ``StorageBackend/read(_:_:)`` runs.
public protocol StorageSnapshot: Sendable {
    /// Gets records by ID.
    ///
    /// Law: the result has one element for each ID, in the same order, `nil` where there is no such record.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs; an ID may occur twice.
    ///   - keys: The fields to get, or `nil` for all. A record fetched with keys has ``RecordFields/isComplete`` `false`.
    /// - Complexity: a look-up per ID; a handful of round trips for any number of them.
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?]

    /// Gets one page of a query's records.
    ///
    /// Law: the page holds the first ``QueryPlan/limit`` of those records of the plan's type and zone that its filter matches and
    /// that come after its position, in the plan's order; or, if the plan is not ordered, any of those, as many. A backend that
    /// cannot do better hands its records of the type to ``QueryPlan/page(of:resolving:)``, which says exactly what is meant.
    func records(matching plan: QueryPlan) async throws -> [StoredRecord]

    /// Counts a query's records.
    ///
    /// Law: the number of records that ``records(matching:)`` returns for the plan without a position and without a limit.
    func count(matching plan: QueryPlan) async throws -> Int

    /// Computes one value of a field of a query's records.
    ///
    /// Law: what ``Aggregate/value(of:)`` computes of the field's values in all records that ``records(matching:)`` returns for
    /// the plan without a position and without a limit. A backend that cannot do better leaves it to the default, which fetches
    /// the records page by page.
    ///
    /// - Parameters:
    ///   - aggregate: What to compute.
    ///   - key: The field, or system field, or a key path whose steps are single references.
    ///   - plan: Which records; its position, limit, order and keys do not matter.
    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?

    /// Counts a query's records by the values of a field.
    ///
    /// Law: one count for each value that the field has in the records that ``records(matching:)`` returns for the plan without
    /// a position and without a limit, `nil` included, in the ascending order of values that a ``Sort`` has. Values that the
    /// filter language holds equal are counted together. A backend that cannot do better leaves it to the default.
    ///
    /// - Parameters:
    ///   - key: The field, or system field, or a key path whose steps are single references.
    ///   - plan: Which records; its position, limit, order and keys do not matter.
    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount]

    /// Tells how the backend would get a query's records, without getting them.
    ///
    /// The default says that every record of the type is looked at, and that the filter is evaluated and the records are sorted
    /// afterwards.
    func explanation(of plan: QueryPlan) async throws -> QueryExplanation

    /// Finds who refers to records with a reference that has a delete rule.
    ///
    /// Law: the result has one element for each reference in a field, or in a list, or as a parent, of any stored record to one of
    /// the IDs, except references in fields whose action is ``Reference/Action/none``. The order is free.
    ///
    /// - Complexity: proportional to the number of IDs and of references found, not to the number of records.
    func references(to ids: [RecordID]) async throws -> [StoredReference]

    /// Finds zones.
    ///
    /// Law: those that ``StorageTransaction/add(_:)`` has added and ``StorageTransaction/removeZones(_:sequenceNumber:)`` has not
    /// removed, each once, in any order; and the default zone, which needs no adding, as soon as
    /// ``StorageTransaction/markZones(_:sequenceNumber:)`` has marked it.
    ///
    /// - Parameter ids: The IDs of the zones to find, or `nil` for all.
    func zones(for ids: Set<RecordZone.ID>?) async throws -> [StoredZone]

    /// The highest sequence number that a committed transaction, or this one, has reserved; 0 if none has.
    func lastSequenceNumber() async throws -> Int64

    /// Reads what has changed in a zone.
    ///
    /// Law: the records of the zone with higher sequence numbers than the given one, and the deletions in it that have higher ones
    /// and are still remembered, in the ascending order of these numbers, and of these the first `limit`. A deletion is not
    /// remembered any more once a record is inserted under its ID.
    ///
    /// - Parameters:
    ///   - zoneID: A zone that is there.
    ///   - number: The number that all changes must exceed.
    ///   - limit: The most changes to return; at least 1.
    ///   - keys: The fields to get, or `nil` for all.
    /// - Complexity: proportional to the number of changes that are returned, not to the number of records.
    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) async throws -> [StoredChange]

    /// Reads in which zones something has changed, and which zones are gone.
    ///
    /// Law: the zones whose ``StoredZone/changeNumber`` exceeds the given number, and those that were removed with a higher one,
    /// in the ascending order of these numbers, and of these the first `limit`. Of several removals under one ID the last one
    /// counts; it is there beside the zone that was added since.
    ///
    /// - Parameters:
    ///   - number: The number that all changes must exceed.
    ///   - limit: The most changes to return; at least 1.
    func zoneChanges(after number: Int64, limit: Int) async throws -> [StoredZoneChange]

    /// Finds subscriptions.
    ///
    /// Law: those that ``StorageTransaction/put(_:)`` has stored and ``StorageTransaction/removeSubscriptions(_:of:)`` has not
    /// removed, each once, in any order. Called once in every write, and nearly always finds none: that should cost next to
    /// nothing.
    ///
    /// - Parameter userName: The user whose subscriptions to find, or `nil` for those of all users.
    func subscriptions(of userName: String?) async throws -> [StoredSubscription]

    /// Reads a user's notifications.
    ///
    /// Law: the user's notifications that have higher numbers than the given one, that no later one has replaced, and that are
    /// not forgotten, in the ascending order of these numbers, and of these the first `limit`.
    ///
    /// - Parameters:
    ///   - userName: The user.
    ///   - number: The number that all must exceed.
    ///   - limit: The most notifications to return; at least 1.
    /// - Complexity: proportional to the number of notifications that are returned.
    func notifications(to userName: String, after number: Int64, limit: Int) async throws -> [StoredNotification]

    /// The highest number of a user's notifications that were forgotten; 0 if none was.
    ///
    /// - Parameter userName: The user.
    func notificationExpirationNumber(of userName: String) async throws -> Int64

    /// Lists stored assets.
    ///
    /// Law: those that ``StorageTransaction/add(_:uploadedAs:)`` has added and ``StorageTransaction/removeAssets(_:)`` has not removed,
    /// whose checksums are greater than the given one, in ascending order, and of these the first `limit`.
    ///
    /// - Parameters:
    ///   - checksum: The checksum that all must exceed, or `nil` for all.
    ///   - limit: The most assets to return; at least 1.
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset]

    /// Finds stored assets.
    ///
    /// Law: the result has one element for each checksum, in the same order, `nil` where there is no such asset.
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?]

    /// Finds which assets records have.
    ///
    /// Law: those of the given checksums that a field of a stored record, or an element of a list in one, has.
    ///
    /// - Parameter checksums: The checksums to look for, none twice.
    /// - Complexity: proportional to the number of checksums, not to the number of records, nor of those that have the asset.
    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum>

    /// Reads bytes of a stored asset.
    ///
    /// - Parameters:
    ///   - checksum: The asset's checksum.
    ///   - range: Which bytes: a range within the asset's size, of at most a megabyte.
    /// - Returns: The bytes; `nil` if the asset is not stored, or its bytes are lost.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data?

    /// The record types and their fields.
    ///
    /// Law: what ``StorageTransaction/add(_:to:)`` has added, and ``StorageTransaction/setIndexes(_:of:)`` has set. Called in every save: a backend keeps it at hand.
    func schema() async throws -> StoredSchema

    /// Looks for damage that only the store itself can see, for ``Container/verify(repairing:progress:)``.
    ///
    /// The core checks whatever the other requirements can tell: what is looked for here lies below them, such as damaged pages, and
    /// entries of indexes that no requirement returns. The default finds none.
    ///
    /// Law: of a store that only the protocols' calls have changed, nothing is found.
    ///
    /// - Parameter limit: The most damages of each kind to return.
    func damages(limit: Int) async throws -> [StoredDamage]
}

/// A view of one database that changes can be made in, valid while the closure of ``StorageBackend/write(_:_:)`` runs.
///
/// Law: what is read in a transaction contains what was written before in it.
public protocol StorageTransaction: StorageSnapshot {
    /// Reserves numbers for the changes of this transaction.
    ///
    /// Law: the numbers are above all that were reserved by transactions that committed before, so that the order of numbers is
    /// the order of changes. Numbers may be left out.
    ///
    /// - Parameter count: How many consecutive numbers to reserve; at least one.
    /// - Returns: The first of them, at least 1.
    func reserveSequenceNumbers(_ count: Int) async throws -> Int64

    /// Adds fields to a record type, and the type itself if there is none of the name.
    ///
    /// Law: afterwards records of the type can hold values of these types in these fields; old records have none in them.
    ///
    /// - Parameters:
    ///   - fields: The new fields; maybe none, to add only the type. None of them is in the type yet.
    ///   - recordType: The type to add them to.
    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws

    /// Makes the indexes of a record type those that are given, and no others.
    ///
    /// Law: afterwards ``StorageSnapshot/schema()`` has them, and every query answers as it did before. A backend builds those
    /// that it can make use of, from the records that there are, and drops those that nobody asks for any more.
    ///
    /// - Parameters:
    ///   - indexes: The indexes; their fields are in the schema, and have types that can be indexed so.
    ///   - recordType: A type that is in the schema.
    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws

    /// Adds zones, which have no records yet.
    ///
    /// Law: afterwards they are found as they are given. The default zone may be among them in a database that is copied to: it then
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
    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) async throws

    /// Stores subscriptions; each replaces the one that its user has under the same ID.
    ///
    /// - Parameter subscriptions: The subscriptions, none twice.
    func put(_ subscriptions: [StoredSubscription]) async throws

    /// Removes subscriptions.
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
    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) async throws

    /// Adds an asset, whose bytes an upload has taken in.
    ///
    /// Law: afterwards the asset is found; if it was there already, nothing has changed. If the transaction is committed, the bytes are
    /// as durable as its records.
    ///
    /// - Parameters:
    ///   - asset: The checksum and number of the bytes, which the core has computed.
    ///   - id: The ID of an upload to this database that is finished and not ended.
    func add(_ asset: StoredAsset, uploadedAs id: UUID) async throws

    /// Removes assets.
    ///
    /// Law: afterwards they are not found. Their bytes are given back when nobody can need them any more, at the latest by
    /// ``StorageBackend/removeAbandonedAssets(from:)``; if the transaction is undone, they stay.
    ///
    /// - Parameter checksums: Checksums of stored assets, none twice, that no record has, or that this transaction adds anew: then the
    ///   bytes of the upload take the place of those that were there.
    func removeAssets(_ checksums: [Asset.Checksum]) async throws

    /// Makes anew whatever the store has made of the records.
    ///
    /// Law: afterwards indexes, look-ups by ID, references by target and whatever else follows from the records agree with them; no
    /// deletion is remembered of a record that is stored; and no record has changed. What cannot be read is left out, and left as it is.
    ///
    /// The default does nothing, for a store in which nothing can disagree.
    func rebuildIndexes() async throws

    /// Stores records whose IDs are not stored yet.
    ///
    /// - Parameter records: Complete records, no ID twice, whose types and fields are in the schema, and whose zones are there. Their
    ///   numbers were reserved, maybe by an earlier transaction; in each zone they exceed those of earlier transactions.
    func insert(_ records: [StoredRecord]) async throws

    /// Replaces stored records.
    ///
    /// - Parameter records: Complete records, no ID twice, whose IDs are stored, with the type that is stored.
    func update(_ records: [StoredRecord]) async throws

    /// Removes stored records, and remembers that they are gone.
    ///
    /// - Parameters:
    ///   - ids: IDs that are stored, none twice.
    ///   - firstSequenceNumber: The number of the first record's deletion; the others' follow it, in the order of the IDs. This
    ///     transaction has reserved them.
    ///   - date: When the records were deleted.
    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) async throws
}
