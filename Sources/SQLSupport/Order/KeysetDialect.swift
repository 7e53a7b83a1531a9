package import Cabinet

/// How one database sorts rows by the keys of a query.
package protocol KeysetDialect: SQLDialect {
    /// Whether the database searches an index with a comparison of rows: `(a, b) > (1, 2)`.
    static var comparesRows: Bool { get }

    /// The expression that rows are sorted by for a sort key; `nil` if SQL cannot sort so.
    ///
    /// - Parameter term: The expression of the sort key's field.
    static func term(_ term: SQLTerm, sortedBy sort: Sort, _ builder: inout SQLBuilder<Value>) -> SQLTerm?

    /// The words after an expression in ORDER BY, with a leading space, that put nil before all values.
    static func direction(of term: SQLTerm, ascending: Bool) -> String

    /// Whether an index may have the rows of a table in the order of an expression.
    static func isOrdered(_ table: Table, by term: SQLTerm, in scope: ZoneScope) -> Bool

    /// The value of a position as it is compared with a sort key; a value that SQL cannot compare comes after nil, whatever it is.
    static func value(_ value: FieldValue, at sort: Sort) -> Value

    /// The prefix of a parameter that an index holds of values of a type, for expressions with an ``SQLKey``.
    static func prefix(of parameter: String, type: FieldType) -> String

    /// The condition as a test of each row, without a search for each part of it.
    static func scanned(_ condition: SQLCondition) -> SQLCondition
}
