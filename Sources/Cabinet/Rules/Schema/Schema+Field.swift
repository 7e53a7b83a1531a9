extension Schema {
    /// The type of a field's values, the indexes that the field has, and the delete rule of its references.
    public struct Field: Sendable, Hashable {
        /// The type of the field's values.
        public var type: FieldType

        /// The indexes that the field has.
        public var options: Options

        /// The action that the field's references must have; `nil` if the schema allows all.
        ///
        /// A strict container refuses a reference that is saved with another action. Databases do not store the rule, so
        /// ``Database/schema()`` has none.
        public var deleteRule: Reference.Action?

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - type: The type of the field's values.
        ///   - options: The indexes that the field has; by default none.
        ///   - deleteRule: The action that the field's references must have; by default any.
        public init(_ type: FieldType, _ options: Options = [], onDelete deleteRule: Reference.Action? = nil) {
            self.type = type
            self.options = options
            self.deleteRule = deleteRule
        }

        /// The indexes of a field, by which a query need not read every record.
        public struct Options: OptionSet, Sendable, Hashable {
            /// The options as bits.
            public let rawValue: Int

            /// Creates options from bits.
            ///
            /// - Parameter rawValue: The options as bits.
            public init(rawValue: Int) {
                self.rawValue = rawValue
            }

            /// An index finds records by the field's value: `QUERYABLE`.
            ///
            /// Every type but ASSET can be queryable. References always have an index of their own.
            public static let queryable = Options(rawValue: 1)

            /// An index sorts records by the field: `SORTABLE`.
            ///
            /// Lists, locations and assets have no order.
            public static let sortable = Options(rawValue: 2)

            /// An index finds records by the words of the field's text: `SEARCHABLE`.
            ///
            /// A search for words reads the searchable fields of a record type; if it has none, all its text fields.
            public static let searchable = Options(rawValue: 4)
        }
    }
}

extension Reference.Action {
    /// The word of the delete rule in the schema language.
    var word: String {
        switch self {
        case .none: "NONE"
        case .deleteSelf: "DELETE_SELF"
        case .nullify: "NULLIFY"
        case .deny: "DENY"
        }
    }
}

extension Schema.Field.Options {
    /// The options with their words in the schema language, in the order in which they are written.
    static let words: [(option: Self, word: String)] = [
        (.queryable, "QUERYABLE"), (.sortable, "SORTABLE"), (.searchable, "SEARCHABLE"),
    ]

    /// The words of the options in the set.
    var words: [String] {
        Self.words.filter { contains($0.option) }.map(\.word)
    }
}
