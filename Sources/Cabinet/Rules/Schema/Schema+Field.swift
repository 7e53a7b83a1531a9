extension Schema {
    /// The type of a field's values, and what the field can be used for without looking at every record.
    public struct Field: Sendable, Hashable {
        /// The type of the field's values.
        public var type: FieldType

        /// What the field can be used for without looking at every record.
        public var options: Options

        /// Creates a field.
        public init(_ type: FieldType, _ options: Options = []) {
            self.type = type
            self.options = options
        }

        /// What a field can be used for without looking at every record.
        public struct Options: OptionSet, Sendable, Hashable {
            /// The options as bits.
            public let rawValue: Int

            /// Creates options from bits.
            public init(rawValue: Int) {
                self.rawValue = rawValue
            }

            /// Records are found by the field's value: `QUERYABLE`.
            ///
            /// Every type but ASSET can be queryable. References are found by an index of their own in any case.
            public static let queryable = Options(rawValue: 1)

            /// Records are sorted by the field: `SORTABLE`.
            ///
            /// Lists, locations and assets have no order.
            public static let sortable = Options(rawValue: 2)

            /// Records are found by the words of the field's text: `SEARCHABLE`.
            ///
            /// A search for words looks into the searchable fields of a record type; if it has none, into all its text fields.
            public static let searchable = Options(rawValue: 4)
        }
    }
}

extension Schema.Field.Options {
    /// The options in the order in which they are written, with their words in the schema language.
    static let words: [(option: Self, word: String)] = [
        (.queryable, "QUERYABLE"), (.sortable, "SORTABLE"), (.searchable, "SEARCHABLE"),
    ]

    /// The words of the options that are set.
    var words: [String] {
        Self.words.filter { contains($0.option) }.map(\.word)
    }
}
