/// An explanation of a query: the part that the store decides, its access to the records, and the evaluation that
/// remains.
///
/// ```swift
/// print(try await database.explain(query))
/// ```
///
/// <doc:QueryCosts> shows how to read it.
public struct QueryExplanation: Sendable, Hashable {
    /// The ways to find records.
    public enum Access: Sendable, Hashable {
        /// Every record of the type is read.
        case scan
        /// Only records with certain values in some fields are read.
        ///
        /// The fields are those whose values select a part of the index. They are empty if the index is only scanned in
        /// its order.
        case index(name: String, fields: [Record.FieldKey])
        /// No record is read, because none can match.
        case nothing
    }

    /// The ways to bring the records into the query's order.
    public enum Ordering: Sendable, Hashable {
        /// The access returns the records in this order.
        case byIndex
        /// All matching records are found first, and then sorted.
        case sorted
    }

    /// The part of the filter that the store decides, or `nil` if it decides nothing.
    public var pushedDown: Filter?

    /// The part of the filter that is evaluated for the records that the store finds, or `nil` if none remains.
    public var evaluated: Filter?

    /// The ways in which the store finds the records, one for each part of the query that is searched separately.
    public var access: [Access]

    /// The way in which the records get into the query's order.
    public var ordering: Ordering

    /// The store's own description, for readers who know the store, or an empty array.
    public var details: [String]

    /// Creates an explanation.
    public init(
        pushedDown: Filter?, evaluated: Filter?, access: [Access], ordering: Ordering, details: [String] = []
    ) {
        self.pushedDown = pushedDown
        self.evaluated = evaluated
        self.access = access
        self.ordering = ordering
        self.details = details
    }
}
