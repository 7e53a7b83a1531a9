/// How a store gets a query's records: what it decides itself, how it finds them, and what is evaluated afterwards.
///
/// ```swift
/// print(try await database.explain(query))
/// ```
public struct QueryExplanation: Sendable, Hashable {
    /// How records are found.
    public enum Access: Sendable, Hashable {
        /// Every record of the type is looked at.
        case scan
        /// Only records with certain values in some fields are looked at.
        ///
        /// The fields are those by whose values the index is entered; none if it is only gone through in its order.
        case index(name: String, fields: [Record.FieldKey])
        /// No record is looked at, because none can match.
        case nothing
    }

    /// How the records get into the query's order.
    public enum Ordering: Sendable, Hashable {
        /// They are found in this order.
        case byIndex
        /// All that match are found first, and sorted then.
        case sorted
    }

    /// The part of the filter that the store decides; `nil` if it decides nothing.
    public var pushedDown: Filter?

    /// The part of the filter that is evaluated for the records that the store finds; `nil` if nothing is left.
    public var evaluated: Filter?

    /// How records are found: one after the other for the parts of the query that are looked up apart.
    public var access: [Access]

    /// How the records get into the query's order.
    public var ordering: Ordering

    /// The store's own words, for those who know it; empty if it has none.
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
