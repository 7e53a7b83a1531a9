/// A container of keys that refuses every value with an error.
struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let error: any Error
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw error }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw error }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RefusingKeyedContainer<Nested>(error: error))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer(error: error) }

    func superEncoder() -> any Encoder { RefusingEncoder(error: error) }

    func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(error: error) }
}
