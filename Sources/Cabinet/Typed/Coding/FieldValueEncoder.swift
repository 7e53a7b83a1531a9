/// Encodes one value as that of a field: a single value, or a list of single values.
final class FieldValueEncoder: Encoder {
    /// The result of encoding a value.
    enum Output {
        case none
        case value(FieldValue)
        /// A list without elements, whose type only the field knows.
        case emptyList
        /// A value with parts, which only a field of JSON can hold.
        case structure
        case unstorable
    }

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private var elements: [FieldValue]?
    private var output = Output.none

    /// The error with which the parts of a value end its encoding.
    private struct HasParts: Error {}

    /// Returns a value as that of a field.
    func encode(_ value: some Encodable) throws -> Output {
        if let value = value as? any RecordValue { return Self.output(of: value) }
        do {
            try value.encode(to: self)
        } catch is HasParts {
            return .structure
        }
        guard let elements else { return output }
        guard let first = elements.first else { return .emptyList }
        if let list = FieldList(elements, of: first.fieldType.scalar) ?? FieldList(numbers: elements) {
            return .value(.list(list))
        }
        return .structure
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: HasParts()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        elements = elements ?? []
        return FieldElementContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { FieldElementContainer(encoder: self) }

    /// The number of elements of a list so far.
    var count: Int { elements?.count ?? 0 }

    /// Adds the value, or an element.
    func add(_ value: (some Encodable)?) throws {
        guard let value else {
            if elements != nil { throw HasParts() }
            return
        }
        let part = try FieldValueEncoder().encode(value)
        guard elements != nil else {
            output = part
            return
        }
        guard case .value(let element) = part else { throw HasParts() }
        elements?.append(element)
    }

    /// Returns a container for parts, which a field cannot hold.
    func refusal() -> RefusingContainer { RefusingContainer(error: HasParts()) }

    private static func output(of value: any RecordValue) -> Output {
        guard let fieldValue = value.fieldValue else { return .unstorable }
        if case .list(let list) = fieldValue, list.count == 0 { return .emptyList }
        return .value(fieldValue)
    }
}
