public import Foundation

/// An unchanging view of one database, valid while the closure of ``StorageBackend/read(_:_:)`` runs.
public protocol StorageSnapshot: Sendable {
    /// Gets records by ID.
    ///
    /// Law: the result has one element for each ID, in the same order, `nil` where there is no such record. A record is what was stored,
    /// to the last bit of a date or number; fetched with keys, it has of its fields those that are named, and knows of no others, as
    /// ``RecordFields/selecting(_:)`` makes it.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs; an ID may occur twice.
    ///   - keys: The fields to get, or `nil` for all; some may not be in the schema.
    /// - Complexity: a look-up per ID; a handful of round trips for any number of them.
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?]

    /// Gets one page of a query's records.
    ///
    /// Law: the page holds the first ``QueryPlan/limit`` of those records of the plan's type and zone that its filter matches and
    /// that come after its position, in the plan's order; or, if the plan is not ordered, any of those, as many. A backend that
    /// cannot do better hands its records of the type to ``QueryPlan/page(of:resolving:)``, which says exactly what is meant.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``QueryPlan/validate()`` does, or if the filter cannot be evaluated for a record.
    /// - Complexity: at best in the number of records on the page, on whatever page; at worst in that of all, and with memory for a page.
    func records(matching plan: QueryPlan) async throws -> [StoredRecord]

    /// Counts a query's records.
    ///
    /// Law: the number of records that ``records(matching:)`` returns for the plan without a position and without a limit.
    /// ``QueryPlan/count(in:resolving:)`` says exactly what is meant.
    ///
    /// - Complexity: at worst in the number of all records, and with no memory that grows.
    func count(matching plan: QueryPlan) async throws -> Int

    /// Computes one value of a field of a query's records.
    ///
    /// Law: what ``Aggregate/value(of:)`` computes of the field's values in all records that ``records(matching:)`` returns for
    /// the plan without a position and without a limit.
    ///
    /// Optional: without it, the core fetches the records page by page, with no other field than this one. A backend that can do better for
    /// some plans only leaves the others to ``valueFromPages(of:over:matching:)``.
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
    /// filter language holds equal are counted together.
    ///
    /// Optional: without it, the core fetches the records page by page, with no other field than this one. A backend that can do better for
    /// some plans only leaves the others to ``countsFromPages(by:matching:)``.
    ///
    /// - Parameters:
    ///   - key: The field, or system field, or a key path whose steps are single references.
    ///   - plan: Which records; its position, limit, order and keys do not matter.
    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount]

    /// Tells how the backend would get a query's records, without getting them.
    ///
    /// Law: what is pushed down and what is evaluated afterwards select together what the plan's filter selects.
    ///
    /// Optional: without it, every record of the type is said to be looked at, the filter to be evaluated and the records to be sorted
    /// afterwards.
    ///
    /// - Complexity: the same for any number of records: nothing is fetched.
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
    /// - Complexity: in the number of zones to find. Every write asks for those that it changes something in.
    func zones(for ids: Set<RecordZone.ID>?) async throws -> [StoredZone]

    /// The highest sequence number that a committed transaction, or this one, has reserved; 0 if none has.
    ///
    /// Law: what was reserved by transactions that were undone may count or not.
    ///
    /// - Complexity: constant. Who observes a database without signals asks four times a second.
    func lastSequenceNumber() async throws -> Int64

    /// Returns the timelines that sequence numbers were reserved on.
    ///
    /// A timeline is a part of a database's history during which no older copy of the store was put back. Each has a random ID, begins
    /// with its first number, and ends where the next one begins. A number that two copies of a store have on the same timeline stands
    /// for the same change in both, and so does every lower number.
    ///
    /// Law: the result has one element for each number, in the same order. Once a transaction that reserved a number is committed, the
    /// number's timeline never changes, even when the store is closed and opened again. A new timeline begins with the first number
    /// that is reserved after an older copy of the store may have been put back, at the latest with the first after the store was
    /// opened. The last 10,000 timelines of a database are remembered; numbers of older ones may get an ID that they did not have.
    ///
    /// Optional: without it, every number has `nil`, which is right for a store that cannot be put back, such as one in memory. A backend
    /// may return `nil` for numbers from before it recorded timelines.
    ///
    /// - Parameter numbers: The numbers, none above ``lastSequenceNumber()``; a number may occur twice.
    /// - Complexity: a look-up per number; one round trip for all. Every fetch of changes asks once, and no save does.
    func timelines(of numbers: [Int64]) async throws -> [Int64?]

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
    /// - Complexity: at worst in the number of zones, there and gone; not in that of records.
    func zoneChanges(after number: Int64, limit: Int) async throws -> [StoredZoneChange]

    /// Finds subscriptions.
    ///
    /// Law: those that ``StorageTransaction/put(_:)`` has stored and ``StorageTransaction/removeSubscriptions(_:of:)`` has not
    /// removed, each once, in any order.
    ///
    /// - Parameter userName: The user whose subscriptions to find, or `nil` for those of all users.
    /// - Complexity: in the number of subscriptions. Every write asks for all, and nearly always finds none: that costs next to nothing.
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
    /// Law: as ``StorageTransaction/forgetNotifications(to:before:keepingLast:)`` says. A notification that a later one has replaced was
    /// not forgotten.
    ///
    /// - Parameter userName: The user.
    /// - Complexity: constant.
    func notificationExpirationNumber(of userName: String) async throws -> Int64

    /// Lists stored assets.
    ///
    /// Law: those that ``StorageTransaction/add(_:uploadedAs:)`` has added and ``StorageTransaction/removeAssets(_:)`` has not removed,
    /// whose checksums are greater than the given one, in ascending order, and of these the first `limit`.
    ///
    /// Optional: without it, there are none.
    ///
    /// - Parameters:
    ///   - checksum: The checksum that all must exceed, or `nil` for all.
    ///   - limit: The most assets to return; at least 1.
    /// - Complexity: in the number of assets returned.
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset]

    /// Finds stored assets.
    ///
    /// Law: the result has one element for each checksum, in the same order, `nil` where there is no such asset.
    ///
    /// Optional: without it, there are none.
    ///
    /// - Complexity: a look-up per checksum.
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?]

    /// Finds which assets records have.
    ///
    /// Law: those of the given checksums that a field of a stored record, or an element of a list in one, has.
    /// ``RecordFields/storedAssets`` are those of one record.
    ///
    /// Optional: without it, no record is said to have one.
    ///
    /// - Parameter checksums: The checksums to look for, none twice.
    /// - Complexity: proportional to the number of checksums, not to the number of records, nor of those that have the asset.
    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum>

    /// Reads bytes of a stored asset.
    ///
    /// Law: just the bytes of the range, as long as the view is valid, even if the asset is removed meanwhile.
    ///
    /// Optional: without it, there are none.
    ///
    /// - Parameters:
    ///   - checksum: The asset's checksum.
    ///   - range: Which bytes: a range within the asset's size, of at most a megabyte.
    /// - Returns: The bytes; `nil` if the asset is not stored, or its bytes are lost.
    /// - Complexity: in the number of bytes, wherever the range begins.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data?

    /// The record types and their fields.
    ///
    /// Law: what ``StorageTransaction/add(_:to:)`` has added, and ``StorageTransaction/setIndexes(_:of:)`` has set.
    ///
    /// - Complexity: constant. Every save and every query asks for it: a backend keeps it at hand.
    func schema() async throws -> StoredSchema

    /// Looks for damage that only the store itself can see, for ``Container/verify(repairing:progress:)``.
    ///
    /// The core checks whatever the other requirements can tell: what is looked for here lies below them, such as damaged pages, and
    /// entries of indexes that no requirement returns.
    ///
    /// Law: of a store that only the protocols' calls have changed, nothing is found.
    ///
    /// Optional: without it, nothing is found that only the store can see.
    ///
    /// - Parameter limit: The most damages of each kind to return.
    /// - Complexity: in the size of the store; whoever looks after the store asks now and then.
    func damages(limit: Int) async throws -> [StoredDamage]
}
