/// Decodes the elements of a field's list.
struct FieldElementDecoder: UnkeyedDecodingContainer {
    let elements: [FieldValue]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    init(elements: [FieldValue]) {
        self.elements = elements
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try FieldValueDecoder(value: try next()).decode(type)
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: String.Type) throws -> String { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try FieldValueDecoder(value: try next()).decode(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try FieldValueDecoder(value: try next()).decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try FieldValueDecoder(value: try next()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try FieldValueDecoder(value: try next()).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { FieldValueDecoder(value: try next()) }

    private mutating func next() throws -> FieldValue {
        guard currentIndex < elements.count else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "The list has \(elements.count) elements."))
        }
        currentIndex += 1
        return elements[currentIndex - 1]
    }
}
