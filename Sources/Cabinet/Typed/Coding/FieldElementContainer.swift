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
