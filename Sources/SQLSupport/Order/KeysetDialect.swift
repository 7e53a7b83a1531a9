package import Cabinet

/// Sorts rows by the keys of a query in the SQL of one database.
package protocol KeysetDialect: SQLDialect {
    /// Whether the database searches an index with a comparison of rows: `(a, b) > (1, 2)`.
    static var comparesRows: Bool { get }

    /// Returns the expression that rows are sorted by for a sort key; `nil` if SQL cannot sort by it.
    ///
    /// - Parameter term: The expression of the sort key's field.
    static func term(_ term: SQLTerm, sortedBy sort: Sort, _ builder: inout SQLBuilder<Value>) -> SQLTerm?

    /// Returns the expression of a row's relevance to some searches; `nil` if SQL cannot compute it.
    static func relevance(to searches: [PlannedSearch], _ translator: inout Translator) -> SQLTerm?

    /// Returns the direction of a term in ORDER BY, with a leading space, that puts nil before all values.
    static func direction(of term: SQLTerm, ascending: Bool) -> String

    /// Whether an index may return the rows of a table in the order of an expression.
    static func isOrdered(_ table: Table, by term: SQLTerm, in scope: ZoneScope) -> Bool

    /// Returns the value of a position as the database compares it with a sort key; a value that SQL cannot compare
    /// comes after nil.
    static func value(_ value: FieldValue, at sort: Sort) -> Value

    /// Returns the prefix of a parameter as an index on an ``SQLKey`` stores it.
    static func prefix(of parameter: String, type: FieldType) -> String

    /// Returns the condition in a form that is tested for each row, without an index search for each of its parts.
    static func scanned(_ condition: SQLCondition) -> SQLCondition
}
