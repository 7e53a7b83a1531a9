/// An unchanging view of one database, valid while the closure of ``StorageBackend/read(_:_:)`` runs.
public protocol StorageSnapshot: Sendable {
    /// Loads everything that a request names, in one round trip.
    ///
    /// Law: ``StorageValues`` says what each part holds. A record is what was stored, to the last bit of a date or number; loaded with
    /// ``StorageKeys/fields``, it has of its fields those that are named, as ``RecordFields/selecting(_:)`` returns them.
    ///
    /// - Parameter keys: What to load.
    /// - Complexity: a look-up per key; one round trip for any number of them.
    func load(_ keys: StorageKeys) async throws -> StorageValues

    /// Reads entries in the order of their keys.
    ///
    /// An entry is a text that the core stores under a key: its own bookkeeping.
    ///
    /// Law: the entries that ``StorageMutation/setEntry(_:_:)`` has stored, and not removed, whose keys lie in the range, in ascending
    /// order of the keys' bytes, and of these the first `limit`.
    ///
    /// - Parameters:
    ///   - range: The keys; may be empty.
    ///   - limit: The most entries to return; at least 1.
    /// - Complexity: in the number of entries returned.
    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry]

    /// Reads one page of a query's records.
    ///
    /// Law: the page holds the first ``QueryPlan/limit`` of those records of the plan's type and zone that its filter matches and
    /// that come after its position, in the plan's order; or, if the plan is not ordered, any of those, as many. A backend that
    /// cannot do better hands its records of the type to ``QueryPlan/page(of:resolving:)``, which says exactly what is meant.
    ///
    /// - Parameter plan: The page to read. Only the core creates plans, and each is valid.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for a record.
    /// - Complexity: at best in the number of records on the page, on whatever page; at worst in that of all, and with memory for a page.
    func records(matching plan: QueryPlan) async throws -> [StoredRecord]

    /// Finds the references with a delete rule that point to records.
    ///
    /// Law: the result has one element for each reference in a field, or in a list, or as a parent, of any stored record to one of
    /// the IDs, except references in fields whose action is ``Reference/Action/none``. The order is free.
    ///
    /// - Parameter ids: The targets; they need not be stored.
    /// - Complexity: proportional to the number of IDs and of references found, not to the number of records.
    func references(to ids: [RecordID]) async throws -> [StoredReference]

    /// Reads what has changed in a zone.
    ///
    /// Law: the records of the zone with higher sequence numbers than the given one, if they are asked for, and the deletions in it that
    /// have higher ones and are not forgotten, in the ascending order of these numbers, and of these the first `limit`. A deletion is
    /// forgotten once a record is inserted under its ID.
    ///
    /// - Parameters:
    ///   - zoneID: The zone; it may have no records.
    ///   - number: The number that all changes must exceed.
    ///   - limit: The most changes to return; at least 1.
    ///   - content: Which changes, and which fields of the records.
    /// - Complexity: proportional to the number of changes that are returned, not to the number of records.
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange]

    /// The optional abilities of the view.
    ///
    /// Law: the same abilities in every view of a backend.
    var abilities: SnapshotAbilities { get }
}
