/// Which records a query finds: a closed tree of comparisons joined by AND, OR and NOT.
///
/// A filter is made from a format string in `NSPredicate`'s language, or from Swift:
///
/// ```swift
/// try Filter("list == %@ AND number > %d", reference, 3)
/// .field("list") == reference && .field("number") > 3
/// ```
///
/// Both give the same tree. A chain of AND, or of OR, is one array: `a AND b AND c` and `(a AND b) AND c` are the same.
/// A filter's description parses back to it, and is how it is coded.
///
/// A filter may be ``maximumDepth`` levels deep. The parser and `Codable` refuse deeper ones. Operators and methods that would
/// build a deeper one build a filter that is refused when it is used. Do not build one case by case: freeing, comparing or
/// describing a tree of many thousand levels overflows the stack.
public indirect enum Filter: Sendable, Hashable, Codable {
    /// Matches every record, or none.
    case constant(Bool)

    /// Matches the records for which a comparison holds.
    case comparison(Comparison)

    /// Matches the records that every one of the filters matches; all records if there is no filter.
    case and([Filter])

    /// Matches the records that at least one of the filters matches; no record if there is no filter.
    case or([Filter])

    /// Matches the records that the filter does not match.
    case not(Filter)
}

extension Filter {
    /// Two expressions and the operator between them.
    public struct Comparison: Sendable, Hashable {
        /// The left operand.
        public var left: Expression

        /// How the operands are compared.
        public var `operator`: Operator { didSet { options = Self.options(options, of: `operator`) } }

        /// The right operand.
        public var right: Expression

        /// What the comparison of text leaves out of account; nothing more with ``Operator/tokenMatches``, which has no options.
        public var options: Options { didSet { options = Self.options(options, of: `operator`) } }

        /// Whether the left operand is compared, or the elements of its list.
        public var quantifier: Quantifier

        /// Creates a comparison.
        ///
        /// - Parameters:
        ///   - left: The left operand.
        ///   - operator: How the operands are compared.
        ///   - right: The right operand.
        ///   - options: What the comparison of text leaves out of account; by default nothing.
        ///   - quantifier: Whether the left operand is compared, or the elements of its list; by default the operand.
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
            `operator` == .tokenMatches ? [] : options.intersection(.all)
        }
    }

    /// An operand: a field of the record, a constant, or what is made of other operands.
    public indirect enum Expression: Sendable, Hashable {
        /// The value of a field, or of a system field, of the record; or what a key path leads to.
        ///
        /// A key path is names joined by dots. It leads through references, `list.owner.city`, and through lists of them,
        /// which gives the list of the values. A name with an at sign makes one value of a list: `tags.@count`,
        /// `friends.@avg.age`; also `@sum`, `@min` and `@max`. A step that leads nowhere gives nil.
        case field(Record.FieldKey)

        /// What a key path leads to from the record, or the list of records, that another operand refers to:
        /// `friends[0].name`.
        case member(Expression, Record.FieldKey)

        /// An element of a list, or the number of its elements: `tags[0]`, `tags[LAST]`, `tags[SIZE]`.
        case element(Expression, Index)

        /// What two numbers make together: `price * number`.
        case arithmetic(Expression, Arithmetic, Expression)

        /// A number with the opposite sign: `-balance`.
        case negative(Expression)

        /// The distance between two places, in metres; nil if one of them is nil.
        case distance(Expression, Expression)

        /// The words of all searchable text fields; the left side of ``Operator/tokenMatches`` alone.
        case searchableText

        /// A name that a value is put in for before the filter is used: `$name`.
        case variable(String)

        /// A value; `nil` is the language's NIL.
        case constant(FieldValue?)

        /// A list of operands of several types, as in `{1, 'a', number}`, and the empty list.
        ///
        /// A list of constants of one type is a ``constant(_:)``, whichever way the filter was made.
        case list([Expression])

        /// A Swift value that no field can hold, such as `UInt64.max`, described.
        ///
        /// Only builders make it, because they cannot throw; ``Filter/validate(fields:)`` refuses it.
        case unstorable(String)
    }

    /// Which element of a list is meant.
    public indirect enum Index: Sendable, Hashable {
        /// The element with a number, from 0; nil if there is none.
        case at(Expression)
        /// The first element; nil in an empty list.
        case first
        /// The last element; nil in an empty list.
        case last
        /// No element but how many there are.
        case size
    }

    /// What is made of two numbers.
    ///
    /// Nil makes nil, and so does what is no number, such as a quotient by zero. Whole numbers stay whole where the result is
    /// whole and fits 64 bits; else the result is a DOUBLE.
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

    /// How two operands are compared.
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
        /// The whole left text is as the right one says, in which `?` is any one scalar and `*` any number of them.
        case like
        /// The whole left text matches the right one, which is an ICU regular expression.
        case matches
        /// The left text has at least one of the words of the right text, see ``SearchTokens``.
        case tokenMatches
    }
}
