/// Decodes a value of a program's own type from the fields of a record.
struct FieldDecoder: Decoder {
    let failure: FieldCodingFailure
    let record: Record
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ type: Any.Type, record: Record, definitions: [FieldDefinition]) {
        self.record = record
        failure = FieldCodingFailure(type: type, recordType: record.recordType, definitions: definitions)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(FieldDecodingContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw failure.withoutKeys() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw failure.withoutKeys() }

    /// Returns the value of a key as it is stored, or else the declared default.
    func fieldValue(forKey key: String) throws -> FieldValue? {
        if let system = SystemField(rawValue: key) { return record.systemValue(system) }
        let definition = try failure.definition(of: key)
        if let value = definition.value(in: record) { return value }
        if let value = definition.initialValue { return value.fieldValue }
        return definition.type.isList ? FieldList([], of: definition.type.scalar).map(FieldValue.list) : nil
    }

    /// Returns the value of a key.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
        guard let stored = try fieldValue(forKey: key) else {
            if let type = type as? any ExpressibleByNilLiteral.Type, let value = type.init(nilLiteral: ()) as? Value {
                return value
            }
            throw failure.mismatch(key, expected: "\(type)", found: "no value")
        }
        do {
            if SystemField(rawValue: key) == nil, try failure.definition(of: key).jsonType != nil,
                !(type is any RecordValue.Type), case .string(let text) = stored
            {
                return try JSONText.decode(type, from: text)
            }
            return try FieldValueDecoder(value: stored).decode(type)
        } catch {
            throw failure.mismatch(key, expected: "\(type)", found: stored.found, error)
        }
    }
}

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
