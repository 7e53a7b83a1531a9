/// An encoder that refuses every value with an error.
struct RefusingEncoder: Encoder {
    let error: any Error
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: error))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer(error: error) }

    func singleValueContainer() -> any SingleValueEncodingContainer { RefusingContainer(error: error) }
}

/// A container that refuses every value with an error, where a value cannot be coded.
struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let error: any Error
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw error }

    func encode<Value: Encodable>(_ value: Value) throws { throw error }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: error))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { RefusingEncoder(error: error) }
}

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
