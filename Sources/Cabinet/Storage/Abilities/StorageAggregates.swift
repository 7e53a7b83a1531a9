/// An ability to compute counts and values of a plan's records in the store.
///
/// A backend that computes only some plans faster uses ``StorageSnapshot/valueFromPages(of:over:matching:)`` and
/// ``StorageSnapshot/countsFromPages(by:matching:)`` for the others.
public protocol StorageAggregates: Sendable {
    /// Counts a plan's records.
    ///
    /// Law: the result is the number of records that ``StorageSnapshot/records(matching:)`` returns for the plan without a
    /// position and without a limit. ``QueryPlan/count(in:resolving:)`` is the definition.
    ///
    /// - Parameter plan: The plan that selects the records; its position, limit, order and keys have no effect.
    /// - Returns: The number of records.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for a record, and the store's other
    ///   failures.
    /// - Complexity: at worst in the number of all records, with constant memory.
    func count(matching plan: QueryPlan) async throws -> Int

    /// Computes an aggregate of a field over a plan's records.
    ///
    /// Law: the result is what ``Aggregate/value(of:)`` returns for the field's values in all records that
    /// ``StorageSnapshot/records(matching:)`` returns for the plan without a position and without a limit.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate to compute. The core has checked that it accepts the key's values.
    ///   - key: The field, or a system field, or a key path whose steps are single references.
    ///   - plan: The plan that selects the records; its position, limit, order and keys have no effect.
    /// - Returns: The value of the aggregate; `nil` if it has none.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for a record, and the store's other
    ///   failures.
    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?

    /// Counts a plan's records by the values of a field.
    ///
    /// Law: consider the records that ``StorageSnapshot/records(matching:)`` returns for the plan without a position and without
    /// a limit. The result has one count for each value of the field in them, `nil` included, in the ascending order of a
    /// ``Sort``. Values that are equal in the filter language are counted together.
    ///
    /// - Parameters:
    ///   - key: The field, or a system field, or a key path whose steps are single references. The core has checked that records
    ///     can be counted by its values.
    ///   - plan: The plan that selects the records; its position, limit, order and keys have no effect.
    /// - Returns: The values with their counts.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for a record, and the store's other
    ///   failures.
    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount]

    /// Explains how the backend would read a plan's records, without reading them.
    ///
    /// Law: the part that is pushed down and the part that is evaluated afterwards together select the records that the plan's
    /// filter selects.
    ///
    /// - Parameter plan: The plan to explain.
    /// - Returns: The explanation.
    /// - Throws: The store's failures.
    /// - Complexity: the same for any number of records.
    func explanation(of plan: QueryPlan) async throws -> QueryExplanation
}
