/// The single value, or the elements of a list, of a field.
struct FieldElementContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let encoder: FieldValueEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.count }

    func encodeNil() throws { try encoder.add(nil as String?) }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder.add(value) }

    func encode(_ value: Bool) throws { try encoder.add(value) }
    func encode(_ value: String) throws { try encoder.add(value) }
    func encode(_ value: Double) throws { try encoder.add(value) }
    func encode(_ value: Float) throws { try encoder.add(value) }
    func encode(_ value: Int) throws { try encoder.add(value) }
    func encode(_ value: Int8) throws { try encoder.add(value) }
    func encode(_ value: Int16) throws { try encoder.add(value) }
    func encode(_ value: Int32) throws { try encoder.add(value) }
    func encode(_ value: Int64) throws { try encoder.add(value) }
    func encode(_ value: UInt) throws { try encoder.add(value) }
    func encode(_ value: UInt8) throws { try encoder.add(value) }
    func encode(_ value: UInt16) throws { try encoder.add(value) }
    func encode(_ value: UInt32) throws { try encoder.add(value) }
    func encode(_ value: UInt64) throws { try encoder.add(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.refusal().nestedContainer(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.refusal() }

    func superEncoder() -> any Encoder { encoder.refusal().superEncoder() }
}
