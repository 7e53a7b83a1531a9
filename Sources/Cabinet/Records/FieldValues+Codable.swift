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
