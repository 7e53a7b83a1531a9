/// The keys of a value that is encoded as a record.
struct FieldEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: FieldEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try encoder.add(nil as String?, forKey: key.stringValue) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encoder.add(value, forKey: key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: nesting(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        RefusingContainer(error: nesting(key))
    }

    /// The fields of a superclass are fields of the same record.
    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }

    private func nesting(_ key: Key) -> CabinetError {
        encoder.failure.mismatch(key.stringValue, expected: "one value", found: "a nested container")
    }
}
