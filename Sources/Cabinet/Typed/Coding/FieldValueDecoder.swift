/// Decodes one value from that of a field: a single value, or a list of single values.
struct FieldValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: FieldValue
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw mismatch() }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let list) = value else { throw mismatch() }
        return FieldElementDecoder(elements: list.elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let known = type as? any RecordValue.Type else { return try Value(from: self) }
        guard let value = known.init(fieldValue: value) as? Value else { throw mismatch() }
        return value
    }

    private func mismatch() -> DecodingError {
        DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: value.found))
    }
}
