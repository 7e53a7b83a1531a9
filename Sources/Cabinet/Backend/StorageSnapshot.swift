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
    /// that come after its position, in the plan's order. A backend that cannot do better hands its records of the type to
    /// ``QueryPlan/page(of:resolving:)``, which says exactly what is meant.
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

    /// The record types and their fields.
    ///
    /// Law: what ``StorageTransaction/add(_:to:)`` has added, and ``StorageTransaction/setIndexes(_:of:)`` has set. Called in every save: a backend keeps it at hand.
    func schema() async throws -> StoredSchema
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

    /// Stores records whose IDs are not stored yet.
    ///
    /// - Parameter records: Complete records, no ID twice, whose types and fields are in the schema.
    func insert(_ records: [StoredRecord]) async throws

    /// Replaces stored records.
    ///
    /// - Parameter records: Complete records, no ID twice, whose IDs are stored, with the type that is stored.
    func update(_ records: [StoredRecord]) async throws

    /// Removes stored records.
    ///
    /// - Parameter ids: IDs that are stored, none twice.
    func remove(_ ids: [RecordID]) async throws
}
