/// Computes counts and values of a plan's records in the store.
///
/// A backend that can do better for some plans only leaves the others to ``StorageSnapshot/valueFromPages(of:over:matching:)`` and
/// ``StorageSnapshot/countsFromPages(by:matching:)``.
public protocol StorageAggregates: Sendable {
    /// Counts a plan's records.
    ///
    /// Law: the number of records that ``StorageSnapshot/records(matching:)`` returns for the plan without a position and without a
    /// limit. ``QueryPlan/count(in:resolving:)`` says exactly what is meant.
    ///
    /// - Complexity: at worst in the number of all records, and with no memory that grows.
    func count(matching plan: QueryPlan) async throws -> Int

    /// Computes one value of a field of a plan's records.
    ///
    /// Law: what ``Aggregate/value(of:)`` computes of the field's values in all records that
    /// ``StorageSnapshot/records(matching:)`` returns for the plan without a position and without a limit.
    ///
    /// - Parameters:
    ///   - aggregate: What to compute. The core has checked that it accepts the key's values.
    ///   - key: The field, or system field, or a key path whose steps are single references.
    ///   - plan: Which records; its position, limit, order and keys do not matter.
    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?

    /// Counts a plan's records by the values of a field.
    ///
    /// Law: one count for each value that the field has in the records that ``StorageSnapshot/records(matching:)`` returns for the plan
    /// without a position and without a limit, `nil` included, in the ascending order of values that a ``Sort`` has. Values that the
    /// filter language holds equal are counted together.
    ///
    /// - Parameters:
    ///   - key: The field, or system field, or a key path whose steps are single references. The core has checked that records can be
    ///     counted by its values.
    ///   - plan: Which records; its position, limit, order and keys do not matter.
    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount]

    /// Explains how the backend would get a plan's records, without getting them.
    ///
    /// Law: what is pushed down and what is evaluated afterwards select together what the plan's filter selects.
    ///
    /// - Complexity: the same for any number of records: nothing is fetched.
    func explanation(of plan: QueryPlan) async throws -> QueryExplanation
}
