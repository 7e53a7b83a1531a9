public import Cabinet

extension SchemaDocument {
    /// The type of a field's values, with its spelling in the text.
    public struct DataType: Sendable, Hashable {
        /// The type of the values.
        public var fieldType: FieldType

        /// The spelling of the type.
        public var spelling: Spelling

        /// The spellings that a type can have.
        public enum Spelling: Sendable, Hashable {
            /// The name of the type alone.
            case plain

            /// `NUMBER`, which Cabinet stores as DOUBLE.
            case number

            /// `NUMBER PREFERRED AS` before the name.
            case preferredNumber
        }

        /// Creates a type.
        ///
        /// - Parameters:
        ///   - fieldType: The type of the values.
        ///   - spelling: The spelling of the type.
        public init(_ fieldType: FieldType, spelling: Spelling = .plain) {
            self.fieldType = fieldType
            self.spelling = spelling
        }
    }
}

extension SchemaDocument.DataType: CustomStringConvertible {
    /// The type in the schema language: `STRING`, `LIST<ENCRYPTED INT64>`, `NUMBER PREFERRED AS DOUBLE`.
    public var description: String {
        let primitive: String
        switch spelling {
        case .plain: return fieldType.description
        case .number: primitive = "NUMBER"
        case .preferredNumber: primitive = "NUMBER PREFERRED AS \(fieldType.scalar.rawValue)"
        }
        return fieldType.isList ? "LIST<\(primitive)>" : primitive
    }
}
