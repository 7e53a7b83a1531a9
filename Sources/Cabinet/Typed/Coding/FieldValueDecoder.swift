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

    func decode(_ type: Bool.Type) throws -> Bool { try record(type) }
    func decode(_ type: String.Type) throws -> String { try record(type) }
    func decode(_ type: Double.Type) throws -> Double { try record(type) }
    func decode(_ type: Float.Type) throws -> Float { try record(type) }
    func decode(_ type: Int.Type) throws -> Int { try record(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try record(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try record(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try record(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try record(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try record(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try record(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try record(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try record(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try record(type) }

    private func record<Value: RecordValue>(_ type: Value.Type) throws -> Value {
        guard let value = Value(fieldValue: value) else { throw mismatch() }
        return value
    }

    private func mismatch() -> DecodingError {
        DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: value.found))
    }
}
