import Foundation

/// A field value is coded as its type in the schema language and its value: `{"type": "INT64", "value": 2}`.
extension FieldValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case type
        case value
    }

    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .type)
        guard let type = FieldType(name) else {
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: container,
                debugDescription: "'\(name)' is not a field type. Use one such as STRING or LIST<INT64>")
        }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try container.decode(Value.self, forKey: .value)
        }
        if let value = type.isEncrypted ? EncryptedValue(type, ciphertext: try decode(Data.self)) : nil {
            self = .encrypted(value)
            return
        }
        self =
            switch (type.scalar, type.isList) {
            case (.string, false): .string(try decode(String.self))
            case (.int64, false): .int64(try decode(Int64.self))
            case (.double, false): .double(try decode(CodedDouble.self).value)
            case (.timestamp, false): .timestamp(try decode(Date.self))
            case (.bytes, false): .bytes(try decode(Data.self))
            case (.reference, false): .reference(try decode(Reference.self))
            case (.location, false): .location(try decode(Location.self))
            case (.asset, false): .asset(try decode(Asset.self))
            case (.string, true): .list(.string(try decode([String].self)))
            case (.int64, true): .list(.int64(try decode([Int64].self)))
            case (.double, true): .list(.double(try decode([CodedDouble].self).map(\.value)))
            case (.timestamp, true): .list(.timestamp(try decode([Date].self)))
            case (.bytes, true): .list(.bytes(try decode([Data].self)))
            case (.reference, true): .list(.reference(try decode([Reference].self)))
            case (.location, true): .list(.location(try decode([Location].self)))
            case (.asset, true): .list(.asset(try decode([Asset].self)))
            }
    }

    /// Encodes the value, as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fieldType.description, forKey: .type)
        switch self {
        case .string(let value): try container.encode(value, forKey: .value)
        case .int64(let value): try container.encode(value, forKey: .value)
        case .double(let value): try container.encode(CodedDouble(value), forKey: .value)
        case .timestamp(let value): try container.encode(value, forKey: .value)
        case .bytes(let value): try container.encode(value, forKey: .value)
        case .reference(let value): try container.encode(value, forKey: .value)
        case .location(let value): try container.encode(value, forKey: .value)
        case .asset(let value): try container.encode(value, forKey: .value)
        case .encrypted(let value):
            guard let ciphertext = value.ciphertext else {
                throw EncodingError.invalidValue(
                    value,
                    .init(
                        codingPath: container.codingPath,
                        debugDescription: "A value of type \(fieldType) was not encrypted yet. Save its record first"))
            }
            try container.encode(ciphertext, forKey: .value)
        case .list(.string(let values)): try container.encode(values, forKey: .value)
        case .list(.int64(let values)): try container.encode(values, forKey: .value)
        case .list(.double(let values)): try container.encode(values.map(CodedDouble.init), forKey: .value)
        case .list(.timestamp(let values)): try container.encode(values, forKey: .value)
        case .list(.bytes(let values)): try container.encode(values, forKey: .value)
        case .list(.reference(let values)): try container.encode(values, forKey: .value)
        case .list(.location(let values)): try container.encode(values, forKey: .value)
        case .list(.asset(let values)): try container.encode(values, forKey: .value)
        }
    }
}

/// A number as JSON can hold it: the infinities, which JSON has no number for, are the strings `inf` and `-inf`.
private struct CodedDouble: Codable {
    let value: Double

    init(_ value: Double) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Double.self) {
            self.value = value
        } else if let value = Double(try container.decode(String.self)) {
            self.value = value
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a number")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if value.isFinite {
            try container.encode(value)
        } else {
            try container.encode(value.description)
        }
    }
}

extension FieldValues: Codable {
    private enum CodingKeys: String, CodingKey {
        case names
        case values
        case isComplete
    }

    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let names = try container.decode([String].self, forKey: .names)
        guard Set(names).count == names.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .names, in: container, debugDescription: "a field name is repeated")
        }
        self.init(
            names: FieldNames.known(names),
            values: try container.decode([FieldValue?].self, forKey: .values),
            isComplete: try container.decode(Bool.self, forKey: .isComplete))
    }

    /// Encodes the fields, as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(names.names, forKey: .names)
        try container.encode(values, forKey: .values)
        try container.encode(isComplete, forKey: .isComplete)
    }
}
