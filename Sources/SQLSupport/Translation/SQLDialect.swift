package import Cabinet

/// One database's SQL: how the operations of the filter language are written in it.
///
/// ``FilterTranslator`` walks through a filter and asks the dialect for the text of each operation. A function returns `nil` where this
/// SQL cannot express the operation; the evaluator then decides about it. The value itself holds what translating one filter needs, such
/// as a connection.
package protocol SQLDialect {
    associatedtype Table: SQLTable
    associatedtype Value: SQLParameter

    typealias Translator = FilterTranslator<Self>

    // MARK: Limits

    /// The most parameters of a statement.
    static var maximumParameters: Int { get }

    /// How deep parentheses may be nested.
    static var maximumDepth: Int { get }

    // MARK: Rows

    /// The term of a column.
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

    // MARK: Equality and order

    /// The operator that compares two expressions and takes NULL as a value: `IS`.
    static var isSame: String { get }

    /// Whether a term equals a value of its kind that is no reference.
    static func equal(_ term: SQLTerm, _ value: FieldValue, _ translator: inout Translator) -> SQLTest?

    /// Whether an INT64 equals a DOUBLE.
    static func equalNumbers(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest

    /// Whether two terms are equal of which one at least is a list.
    static func equalLists(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest?

    /// Whether a term equals a list of operands.
    static func equal(_ list: SQLTerm, _ elements: [Filter.Expression], _ translator: inout Translator) -> SQLTest?

    /// Compares a term with a value of its kind, which has an order.
    static func ordered(
        _ term: SQLTerm, _ sign: OrderSign, _ value: FieldValue, _ translator: inout Translator
    ) -> SQLTest?

    /// Compares two terms of a kind that has an order.
    static func ordered(_ left: SQLTerm, _ sign: OrderSign, _ right: SQLTerm) -> SQLTest?

    // MARK: Membership and lists

    /// Whether a term is one of some values of its kind; references are given by their names.
    static func isMember(_ term: SQLTerm, of values: [FieldValue], _ translator: inout Translator) -> SQLTest?

    /// The number of a list's elements.
    static func count(of list: SQLTerm) -> SQLTerm

    /// The element of a list at an index that is neither SIZE nor negative.
    static func element(of list: SQLTerm, _ index: Filter.Index, _ translator: inout Translator) -> SQLTerm?

    /// The rows of a list's elements for a FROM clause, and the element as a term; `nil` where SQL cannot read the elements.
    static func elements(of list: SQLTerm, named name: String) -> (source: String, element: SQLTerm)?

    /// Compares the elements of a list without a subquery.
    ///
    /// - Returns: `nil` if the elements are to be compared as rows; or what SQL can say, as an optional of its own.
    static func quantified(
        _ list: SQLTerm, _ quantifier: Filter.Quantifier, _ operator: Filter.Operator, _ right: SQLOperand,
        _ options: Filter.Options, _ translator: inout Translator
    ) -> SQLTest??

    // MARK: Text

    /// A term of texts with the texts folded, as comparisons with these options, of which there is one at least, fold them.
    static func folded(_ term: SQLTerm, _ options: Filter.Options) -> SQLTerm

    /// Whether a text occurs in another.
    static func contains(_ part: SQLOperand, in text: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Whether a text begins with another; as in the functions below, neither operand is nil.
    static func begins(_ left: SQLOperand, with right: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Whether a text ends with another.
    static func ends(_ left: SQLOperand, with right: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Whether a text is like a pattern.
    static func isLike(_ left: SQLOperand, _ right: SQLOperand, _ translator: inout Translator) -> SQLTest?

    /// Whether a text matches a regular expression.
    static func matches(
        _ left: SQLOperand, _ right: SQLOperand, _ options: Filter.Options, _ translator: inout Translator
    ) -> SQLTest?

    /// Whether a text has one of the words of another, without an index.
    static func hasWords(_ left: SQLOperand, _ right: SQLOperand, _ translator: inout Translator) -> SQLTest?

    // MARK: Numbers and places

    static func arithmetic(
        _ left: Filter.Expression, _ operation: Filter.Arithmetic, _ right: Filter.Expression,
        _ translator: inout Translator
    ) -> SQLOperand

    static func negative(_ operand: Filter.Expression, _ translator: inout Translator) -> SQLOperand

    /// The distance between a field's location and a constant one.
    static func distance(_ place: SQLTerm, _ origin: Location, _ translator: inout Translator) -> SQLTerm?

    /// The distance between two fields' locations.
    static func distance(_ place: SQLTerm, _ other: SQLTerm) -> SQLTerm?

    // MARK: Indexes

    /// Whether the index of words finds every row that has one of the words; else it finds candidates.
    static func indexIsExact(_ translator: Translator) -> Bool

    /// The test that the index of words has a row with one of some words, which are not empty.
    static func isIndexed(_ words: [String], _ translator: inout Translator) -> SQLTest?

    /// A condition of the index of words that every row meets that has one of some words, and maybe others.
    static func candidates(_ words: [String], _ translator: inout Translator) -> SQLCondition?

    /// The condition that a location field lies in one of some boxes, if an index or the column can decide it cheaply.
    static func isNear(_ key: Record.FieldKey, _ boxes: [BoundingBox], _ translator: inout Translator) -> SQLCondition?

    // MARK: Plans

    /// Translates a comparison of what a key path leads to by searching for the targets of the references.
    static func targets(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest?

    /// Like ``targets(_:_:)``, for a comparison that all records must meet; may run statements.
    static func searchedTargets(_ comparison: Filter.Comparison, _ translator: inout Translator) throws -> SQLCondition?

    /// Translates a comparison that SQL has no words for, if a function of ours can make it for a row.
    static func evaluated(_ comparison: Filter.Comparison, _ translator: inout Translator) -> SQLTest?

    /// The condition that all records must meet, rewritten so that the database chooses the best index.
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
