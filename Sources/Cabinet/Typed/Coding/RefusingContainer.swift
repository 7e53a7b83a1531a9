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
