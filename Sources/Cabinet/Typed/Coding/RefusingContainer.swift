/// A container that refuses every value with an error, where a value cannot be coded.
struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let error: any Error
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw error }

    func encode<Value: Encodable>(_ value: Value) throws { throw error }

    func encode(_ value: Bool) throws { throw error }
    func encode(_ value: String) throws { throw error }
    func encode(_ value: Double) throws { throw error }
    func encode(_ value: Float) throws { throw error }
    func encode(_ value: Int) throws { throw error }
    func encode(_ value: Int8) throws { throw error }
    func encode(_ value: Int16) throws { throw error }
    func encode(_ value: Int32) throws { throw error }
    func encode(_ value: Int64) throws { throw error }
    func encode(_ value: UInt) throws { throw error }
    func encode(_ value: UInt8) throws { throw error }
    func encode(_ value: UInt16) throws { throw error }
    func encode(_ value: UInt32) throws { throw error }
    func encode(_ value: UInt64) throws { throw error }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: error))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { RefusingEncoder(error: error) }
}
