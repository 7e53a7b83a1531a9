/// Encodes a value of a program's own type as the fields of a record.
final class FieldEncoder: Encoder {
    /// The encoded fields.
    struct Output {
        var values: [(key: Record.FieldKey, value: FieldValue?)] = []
        var recordID: RecordID?
    }

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let failure: FieldCodingFailure
    private var output = Output()

    init(_ type: Any.Type, recordType: Record.RecordType, definitions: [FieldDefinition]) {
        failure = FieldCodingFailure(type: type, recordType: recordType, definitions: definitions)
    }

    /// Returns the fields of a value.
    func encode(_ value: some Encodable) throws -> Output {
        try value.encode(to: self)
        return output
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FieldEncodingContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer(error: failure.withoutKeys()) }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        RefusingContainer(error: failure.withoutKeys())
    }

    /// Adds the value of a key.
    func add(_ value: (some Encodable)?, forKey key: String) throws {
        if let system = SystemField(rawValue: key) {
            if system == .recordID, let id = value as? any RecordValue,
                case .reference(let reference)? = id.fieldValue
            {
                output.recordID = reference.recordID
            }
            return
        }
        let definition = try failure.definition(of: key)
        guard let value else {
            output.values.append((definition.key, nil))
            return
        }
        output.values.append((definition.key, try fieldValue(of: value, for: definition).map(definition.stored)))
    }

    private func fieldValue(of value: some Encodable, for definition: FieldDefinition) throws -> FieldValue? {
        let expected = "\(definition.contentType), stored as \(definition.type)"
        let encoder = FieldValueEncoder()
        let found: FieldValue
        switch try encoder.encode(value) {
        case .none: return nil
        case .value(let value): found = value
        case .emptyList:
            guard definition.type.isList, let list = FieldList([], of: definition.type.scalar) else {
                throw failure.mismatch(definition.key, expected: expected, found: "an empty list")
            }
            return .list(list)
        case .structure:
            guard definition.jsonType != nil, let text = JSONText(of: value) else {
                throw failure.mismatch(
                    definition.key, expected: expected, found: "a \(type(of: value)), which has parts")
            }
            found = .string(text.text)
        case .unstorable:
            throw failure.mismatch(
                definition.key, expected: expected, found: "a \(type(of: value)) that no field can hold")
        }
        guard let fitting = found.fitting(definition), definition.accepts(fitting) else {
            throw failure.mismatch(definition.key, expected: expected, found: found.found)
        }
        return fitting
    }
}

extension FieldValue {
    /// The value as a field stores it: a number of the field's type, and a reference with the field's delete rule.
    fileprivate func fitting(_ definition: FieldDefinition) -> FieldValue? {
        func reference(_ value: Reference) -> Reference {
            Reference(recordID: value.recordID, action: definition.action ?? value.action)
        }
        switch (self, definition.type) {
        case (.reference(let value), .reference): return .reference(reference(value))
        case (.list(.reference(let values)), .list(of: .reference)): return .list(.reference(values.map(reference)))
        default: return fieldType == definition.type ? self : converted(to: definition.type)
        }
    }
}
