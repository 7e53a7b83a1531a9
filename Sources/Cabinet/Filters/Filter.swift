/// The condition of a query: a closed tree of comparisons joined by AND, OR and NOT.
///
/// Create a filter from a format string in `NSPredicate`'s language, or from Swift:
///
/// ```swift
/// try Filter("list == %@ AND number > %d", reference, 3)
/// .field("list") == reference && .field("number") > 3
/// ```
///
/// Both give the same tree. A chain of AND, or of OR, is one array: `a AND b AND c` and `(a AND b) AND c` are equal. A
/// filter is coded as its description, which parses back to the filter. <doc:Filters> introduces the language, and
/// <doc:FilterOperators> lists it.
///
/// A filter may be ``maximumDepth`` levels deep. The parser and `Codable` refuse deeper ones. Operators and methods
/// that would build a deeper one build a filter that is refused when it is used. Do not build one case by case:
/// freeing, comparing or describing a tree of many thousand levels overflows the stack.
public indirect enum Filter: Sendable, Hashable, Codable {
    /// Matches every record, or none.
    case constant(Bool)

    /// Matches the records for which a comparison holds.
    case comparison(Comparison)

    /// Matches the records that all filters of the list match. An empty list matches all records.
    case and([Filter])

    /// Matches the records that at least one filter of the list matches. An empty list matches none.
    case or([Filter])

    /// Matches the records that the filter does not match.
    case not(Filter)
}

extension Filter {
    /// Two expressions and the operator between them.
    public struct Comparison: Sendable, Hashable {
        /// The left operand.
        public var left: Expression

        /// The operator that compares the operands.
        public var `operator`: Operator { didSet { options = Self.options(options, of: `operator`) } }

        /// The right operand.
        public var right: Expression

        /// The options for the comparison of text, which are always empty for ``Operator/tokenMatches`` and
        /// ``Operator/search``.
        public var options: Options { didSet { options = Self.options(options, of: `operator`) } }

        /// The choice between comparing the left operand and comparing the elements of its list.
        public var quantifier: Quantifier

        /// Creates a comparison.
        ///
        /// - Parameters:
        ///   - left: The left operand.
        ///   - operator: The operator that compares the operands.
        ///   - right: The right operand.
        ///   - options: The options for the comparison of text. The default is an exact comparison.
        ///   - quantifier: The choice between comparing the left operand, which is the default, and comparing the
        ///     elements of its list.
        public init(
            _ left: Expression, _ operator: Operator, _ right: Expression, options: Options = [],
            quantifier: Quantifier = .single
        ) {
            self.left = left
            self.operator = `operator`
            self.right = right
            self.options = Self.options(options, of: `operator`)
            self.quantifier = quantifier
        }

        /// The options that the language can spell, so that every comparison has a text.
        private static func options(_ options: Options, of operator: Operator) -> Options {
            `operator`.findsWords ? [] : options.intersection(.all)
        }
    }

    /// An operand: a field of the record, a constant, or a computation on other operands.
    public indirect enum Expression: Sendable, Hashable {
        /// The value of a field or system field of the record, or the value at the end of a key path.
        ///
        /// A key path consists of names joined by dots. It leads through references, as in `list.owner.city`, and
        /// through lists of references, which gives the list of the values. A name with an at sign computes one value
        /// from a list: `tags.@count`, `friends.@avg.age`, and likewise `@sum`, `@min` and `@max`. A step without a
        /// target gives nil.
        case field(Record.FieldKey)

        /// The value at the end of a key path that begins at another operand: `friends[0].name`.
        case member(Expression, Record.FieldKey)

        /// An element of a list, or the number of its elements: `tags[0]`, `tags[LAST]`, `tags[SIZE]`.
        case element(Expression, Index)

        /// The result of arithmetic with two numbers: `price * number`.
        case arithmetic(Expression, Arithmetic, Expression)

        /// A number with the opposite sign: `-balance`.
        case negative(Expression)

        /// The distance between two locations, in metres, or nil if one of them is nil.
        case distance(Expression, Expression)

        /// The number of the records of a type that refer to the record in a field, and that match a filter.
        ///
        /// The field holds a reference or a list of references, or is ``SystemField/parent``. A record that refers twice is
        /// counted once. In a format string, `SUBQUERY(Items.list, $item, $item.number > 3).@count`.
        case referring(Record.RecordType, by: Record.FieldKey, where: Filter = .constant(true))

        /// The words of all searchable text fields; the left side of ``Operator/tokenMatches`` and ``Operator/search``
        /// alone.
        case searchableText

        /// A name that gets a value before the filter is used: `$name`.
        case variable(String)

        /// A value; `nil` is the language's NIL.
        case constant(FieldValue?)

        /// A list of operands of several types, as in `{1, 'a', number}`, and the empty list.
        ///
        /// A list of constants of one type is a ``constant(_:)``, whichever way the filter was made.
        case list([Expression])

        /// The description of a Swift value that no field can hold, such as `UInt64.max`.
        ///
        /// Only builders create it, because they cannot throw. ``Filter/validate(fields:)`` refuses it.
        case unstorable(String)
    }

    /// An element of a list, or the number of its elements.
    public indirect enum Index: Sendable, Hashable {
        /// The element with a number, from 0; nil if there is none.
        case at(Expression)
        /// The first element; nil in an empty list.
        case first
        /// The last element; nil in an empty list.
        case last
        /// The number of elements, instead of an element.
        case size
    }

    /// An arithmetic operation on two numbers.
    ///
    /// The result is nil if an operand is nil, or if the result is not a number, such as a quotient by zero. Whole
    /// numbers give a whole number if the result is whole and fits 64 bits, and a DOUBLE otherwise.
    public enum Arithmetic: String, Sendable, Hashable, CaseIterable {
        /// The sum: `+`.
        case plus = "+"
        /// The difference: `-`.
        case minus = "-"
        /// The product: `*`.
        case times = "*"
        /// The quotient: `/`. Of 5 and 2 it is 2.5.
        case dividedBy = "/"
        /// The power: `**`.
        case toThePower = "**"
    }

    /// The operators that compare two operands.
    public enum Operator: String, Sendable, Hashable, CaseIterable {
        /// Both are the same value, or both are nil.
        case equal
        /// The negation of ``equal``.
        case notEqual
        /// The left one comes before the right one.
        case lessThan
        /// The left one comes before the right one, or equals it.
        case lessThanOrEqual
        /// The left one comes after the right one.
        case greaterThan
        /// The left one comes after the right one, or equals it.
        case greaterThanOrEqual
        /// The left one lies in the range of the right one's two elements, both included.
        case between
        /// The left one is an element of the right one, or occurs in its text.
        case `in`
        /// The right one is an element of the left one, or occurs in its text.
        case contains
        /// The left text begins with the right text.
        case beginsWith
        /// The left text ends with the right text.
        case endsWith
        /// The whole left text matches the pattern on the right, in which `?` is any one scalar and `*` any number of
        /// scalars.
        case like
        /// The whole left text matches the right one, which is an ICU regular expression.
        case matches
        /// The left text has at least one of the words of the right text, see ``SearchTokens``.
        case tokenMatches
        /// The left text has all words of the right text, see ``SearchText``.
        case search
    }
}
