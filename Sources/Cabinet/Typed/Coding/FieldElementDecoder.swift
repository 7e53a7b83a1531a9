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
                DecodingError.Context(
                    codingPath: [], debugDescription: "The list has \(elements.count.counted("element"))."))
        }
        currentIndex += 1
        return elements[currentIndex - 1]
    }
}

/// The single value, or the elements of a list, of a field.
struct FieldElementContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let encoder: FieldValueEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.count }

    func encodeNil() throws { try encoder.add(nil as String?) }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder.add(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.refusal().nestedContainer(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.refusal() }

    func superEncoder() -> any Encoder { encoder.refusal().superEncoder() }
}
