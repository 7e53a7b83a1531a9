/// The keys of a value that is decoded from a record.
struct FieldDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FieldDecoder
    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        decoder.failure.definitions.compactMap { Key(stringValue: $0.key) }.filter(contains)
    }

    func contains(_ key: Key) -> Bool { (try? decoder.fieldValue(forKey: key.stringValue)) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder.fieldValue(forKey: key.stringValue) == nil }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.decode(type, forKey: key.stringValue)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try decodeNil(forKey: key) ? nil : try decoder.decode(type, forKey: key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw nesting(key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nesting(key) }

    /// The fields of a superclass are fields of the same record.
    func superDecoder() -> any Decoder { decoder }

    func superDecoder(forKey key: Key) -> any Decoder { decoder }

    private func nesting(_ key: Key) -> CabinetError {
        decoder.failure.mismatch(key.stringValue, expected: "a nested container", found: "one value")
    }
}
