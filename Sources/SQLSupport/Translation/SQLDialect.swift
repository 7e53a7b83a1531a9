package import Cabinet

/// The SQL of one database: the translation of each operation of the filter language.
///
/// ``FilterTranslator`` traverses a filter and requests the text of each operation from the dialect. A function returns
/// `nil` if this SQL cannot express the operation. Then the evaluator decides it. The dialect's value holds state for
/// the translation of one filter, such as a connection.
package protocol SQLDialect {
    associatedtype Table: SQLTable
    associatedtype Value: SQLParameter

    typealias Translator = FilterTranslator<Self>

    // MARK: Limits

    /// The largest number of parameters of a statement.
    static var maximumParameters: Int { get }

    /// The largest depth of nested parentheses.
    static var maximumDepth: Int { get }

    // MARK: Rows

    /// Returns the term of a column.
    ///
    /// - Parameter name: The table's name in the statement, quoted.
    static func term(of column: SQLColumn, in table: Table, named name: String) -> SQLTerm

    /// The FROM and WHERE clauses that find the row of a record of the database by its ID.
    ///
    /// - Parameters:
    ///   - name: The table's name in the statement, quoted.
    ///   - zone: The expression of the zone's number.
    ///   - recordName: The expression of the record's name.
    static func target(in table: Table, named name: String, zone: String, recordName: String) -> String

    /// The condition that a row is in a zone.
    static func isInZone(_ id: Int64, _ translator: inout Translator) -> SQLCondition

    /// The test that a row is one of the records with some names in the zone of the row.
    ///
    /// - Parameter term: The term of the row's own ID.
    static func isRecord(
        _ term: SQLTerm, named names: [FieldValue], inZone id: Int64, _ translator: inout Translator
    ) -> SQLTest?

    // MARK: Rows that refer to a row

    /// The FROM and WHERE clauses of the rows of a table that refer to the row of another one, by an index.
    ///
    /// - Parameters:
    ///   - name: The table's name in the statement, quoted.
    ///   - reference: The column of the references.
    ///   - target: The terms of the row that they refer to.
    static func rows(
        of table: Table, named name: String, whose reference: SQLTerm, refersTo target: RowTerms<Self>
    ) -> String

    /// The FROM and WHERE clauses of all rows of a table, which read it once for all rows of another one.
    static func rows(of table: Table, named name: String) -> String

    /// The statement that returns the `zone` and the `target` of each reference in the lists of rows, once for each row.
    ///
    /// - Parameters:
    ///   - list: The list of references.
    ///   - source: The clauses of all rows.
    ///   - name: The name of their table in the statement.
    ///   - condition: The condition that the rows meet.
    static func targets(
        of list: SQLTerm, in source: String, named name: String, where condition: SQLCondition
    ) -> String

    /// The number of times that a row is among the targets which a statement returns.
    static func count(of row: RowTerms<Self>, among targets: String) -> String

    // MARK: Equality and order

    /// The operator that compares two expressions and treats NULL as a value, such as `IS`.
    static var isSame: String { get }

    /// Compares a term with a value of its kind, other than a reference, for equality.
    static func equal(_ term: SQLTerm, _ value: FieldValue, _ translator: inout Translator) -> SQLTest?

    /// Compares an INT64 with a DOUBLE for equality.
    static func equalNumbers(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest

    /// Compares two terms, at least one of them a list, for equality.
    static func equalLists(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest?

    /// Compares a term with a list of operands for equality.
    static func equal(_ list: SQLTerm, _ elements: [Filter.Expression], _ translator: inout Translator) -> SQLTest?

    /// Compares the order of a term and of a value of its kind.
    static func ordered(
        _ term: SQLTerm, _ sign: OrderSign, _ value: FieldValue, _ translator: inout Translator
    ) -> SQLTest?

    /// Compares the order of two terms of one kind.
    static func ordered(_ left: SQLTerm, _ sign: OrderSign, _ right: SQLTerm) -> SQLTest?

    // MARK: Membership and lists

    /// Tests that a term is one of several values of its kind; references are represented by their names.
    static func isMember(_ term: SQLTerm, of values: [FieldValue], _ translator: inout Translator) -> SQLTest?

    /// Returns the number of elements of a list.
    static func count(of list: SQLTerm) -> SQLTerm

    /// Returns the element of a list at an index that is neither SIZE nor negative.
    static func element(of list: SQLTerm, _ index: Filter.Index, _ translator: inout Translator) -> SQLTerm?

    /// Returns a FROM clause for a list's elements and the term of an element; `nil` if SQL cannot read the elements.
    static func elements(of list: SQLTerm, named name: String) -> (source: String, element: SQLTerm)?

    /// Compares the elements of a list without a subquery.
    ///
    /// - Returns: `nil` if the elements are to be compared as rows; otherwise the test, as a nested optional.
    static func quantified(
        _ list: SQLTerm, _ quantifier: Filter.Quantifier, _ operator: Filter.Operator, _ right: SQLOperand,
        _ options: Filter.Options, _ translator: inout Translator
    ) -> SQLTest??

    // MARK: Text

    /// Returns a term with its text folded for comparisons with the given options, which are not empty.
    static func folded(_ term: SQLTerm, _ options: Filter.Options) -> SQLTerm

    /// Tests that a text contains another.
    static func contains(_ part: SQLOperand, in text: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Tests that a text begins with another. Here and in the functions below, neither operand is nil.
    static func begins(_ left: SQLOperand, with right: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Tests that a text ends with another.
    static func ends(_ left: SQLOperand, with right: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Tests that a text matches a pattern.
    static func isLike(_ left: SQLOperand, _ right: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Tests that a text matches a regular expression.
    static func matches(
        _ left: SQLOperand, _ right: SQLOperand, _ options: Filter.Options, _ translator: inout Translator
    ) -> SQLTest?

    /// Tests that a text contains one of the words of another, without an index.
    static func hasWords(_ left: SQLOperand, _ right: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Tests that some texts contain all words of a search, which is not empty, without an index.
    static func isFound(_ search: SearchText, in texts: [SQLTerm], _ translator: inout Translator) -> SQLTest?

    /// Returns the value in the JSON of a text; `nil` if SQL cannot read it as the core does.
    static func value(_ json: FieldPath.JSON, in text: SQLTerm) -> SQLTerm?

    // MARK: Numbers and locations

    static func arithmetic(
        _ left: Filter.Expression, _ operation: Filter.Arithmetic, _ right: Filter.Expression,
        _ translator: inout Translator
    ) -> SQLOperand

    static func negative(_ operand: Filter.Expression, _ translator: inout Translator) -> SQLOperand

    /// Returns the distance between a field's location and a constant one.
    static func distance(_ place: SQLTerm, _ origin: Location, _ translator: inout Translator) -> SQLTerm?

    /// Returns the distance between two fields' locations.
    static func distance(_ place: SQLTerm, _ other: SQLTerm) -> SQLTerm?

    // MARK: Indexes

    /// Whether the full-text index finds exactly the rows that have one of the words, not just candidates.
    static func indexIsExact(_ translator: Translator) -> Bool

    /// Tests that the full-text index has one of several words, which are not empty, for a row.
    static func isIndexed(_ words: [String], _ translator: inout Translator) -> SQLTest?

    /// Returns a condition of the full-text index that every row with one of the words meets, and possibly others.
    static func candidates(_ words: [String], _ translator: inout Translator) -> SQLCondition?

    /// Tests that the full-text index has all words of a search without phrases for a row.
    static func isIndexed(_ search: SearchText, _ translator: inout Translator) -> SQLTest?

    /// Returns a condition of the full-text index that every row with all words of a search meets, and possibly others.
    static func candidates(_ search: SearchText, _ translator: inout Translator) -> SQLCondition?

    /// Returns the condition that a location field is in one of several boxes, if an index or the column can decide it
    /// cheaply.
    static func isNear(_ key: Record.FieldKey, _ boxes: [BoundingBox], _ translator: inout Translator) -> SQLCondition?

    /// Returns the condition that a text is in one of several ranges, if an index on the column finds them.
    static func isInRanges(
        _ column: SQLTerm, _ ranges: [FoldedPrefix.Range], _ translator: inout Translator
    ) -> SQLCondition?

    // MARK: Plans

    /// Translates a comparison of the value at the end of a key path by searching for the targets of the references.
    static func targets(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest?

    /// Translates like ``targets(_:_:)`` a comparison that all records must meet; may run statements.
    static func searchedTargets(_ comparison: Filter.Comparison, _ translator: inout Translator) throws -> SQLCondition?

    /// Translates a comparison that SQL cannot express, if a function of Cabinet's can evaluate it for a row.
    static func evaluated(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest?

    /// Returns the condition that all records must meet in a form in which the database chooses the best index.
    static func refined(_ condition: SQLCondition, for filter: Filter, _ translator: inout Translator) -> SQLCondition
}

extension SQLDialect {
    /// The test that a term equals one of some values of its kind; references are given by their names.
    package static func equalsOne(
        of values: [FieldValue], _ term: SQLTerm, _ translator: inout Translator
    ) -> SQLTest? {
        values.count == 1 ? equal(term, values[0], &translator) : isMember(term, of: values, &translator)
    }
}
