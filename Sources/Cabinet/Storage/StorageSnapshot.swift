/// An unchanging view of one database, valid while the closure of ``StorageBackend/read(_:_:)`` runs.
public protocol StorageSnapshot: Sendable {
    /// Loads all records, entries and the schema that a request names, in one round trip.
    ///
    /// Law: the result has the parts that ``StorageValues`` describes. A record equals the stored one, to the last bit of a date
    /// or number. With ``StorageKeys/fields``, it has only the named fields, as ``FieldValues/selecting(_:)`` returns them.
    ///
    /// - Parameter keys: The keys to load.
    /// - Returns: The values, in the order of their keys.
    /// - Throws: The store's failures.
    /// - Complexity: a look-up per key; one round trip for any number of keys.
    func load(_ keys: StorageKeys) async throws -> StorageValues

    /// Reads entries in the order of their keys.
    ///
    /// An entry is a text that the core stores under a key for its own bookkeeping.
    ///
    /// Law: the result has the first `limit` entries whose keys lie in the range, in ascending order of the keys' bytes. An entry
    /// exists from the ``StorageMutation/setEntry(_:_:)`` that stores it to the one that removes it.
    ///
    /// - Parameters:
    ///   - range: The range of keys; it may be empty.
    ///   - limit: The maximum number of entries to return; at least 1.
    /// - Returns: The entries in ascending order.
    /// - Throws: The store's failures.
    /// - Complexity: in the number of entries returned.
    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry]

    /// Reads one page of a query's records.
    ///
    /// Law: a record qualifies if it has the plan's type and zone, matches the plan's filter, and comes after the plan's
    /// position. The page holds the first ``QueryPlan/limit`` of these records in the plan's order, or any of them, as many, if
    /// the plan is not ordered. ``QueryPlan/page(of:resolving:)`` is the definition; a backend that cannot do better passes its
    /// records of the type to it.
    ///
    /// - Parameter plan: The page to read. Only the core creates plans, and each plan is valid.
    /// - Returns: The records of the page.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for a record, and the store's other
    ///   failures.
    /// - Complexity: at best in the number of records on the page, for any page; at worst in the number of all records, with
    ///   memory for one page.
    func records(matching plan: QueryPlan) async throws -> [StoredRecord]

    /// Finds the references with a delete rule that point to records.
    ///
    /// Law: the result has one element for each reference that a stored record has to one of the IDs, in a field, in a list or as
    /// a parent. References in fields whose action is ``Reference/Action/none`` are left out. The order is free.
    ///
    /// - Parameter ids: The targets, which need not be stored.
    /// - Returns: The references with their sources.
    /// - Throws: The store's failures.
    /// - Complexity: proportional to the number of IDs and of references found, not to the number of records.
    func references(to ids: [RecordID]) async throws -> [StoredReference]

    /// Reads the changes in a zone after a sequence number.
    ///
    /// Law: the changes are the zone's records, if the content includes them, and its remembered deletions. The result has the
    /// first `limit` of those whose sequence numbers exceed the given one, in ascending order of these numbers. Inserting a
    /// record forgets the deletion under its ID.
    ///
    /// - Parameters:
    ///   - zoneID: The zone; it may have no records.
    ///   - number: The sequence number that all changes exceed.
    ///   - limit: The maximum number of changes to return; at least 1.
    ///   - content: The kinds of changes to read, and the fields of the records.
    /// - Returns: The changes in ascending order of their sequence numbers.
    /// - Throws: The store's failures.
    /// - Complexity: proportional to the number of changes returned, not to the number of records.
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange]

    /// The optional abilities of the view.
    ///
    /// Law: all views of a backend have the same abilities, but for ``SnapshotAbilities/referrers``, which snapshots lack.
    var abilities: SnapshotAbilities { get }
}
