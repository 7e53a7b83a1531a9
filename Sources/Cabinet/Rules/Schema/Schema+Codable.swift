/// A schema without roles is coded as its record types alone.
extension Schema: Codable {
    private enum CodingKeys: String, CodingKey {
        case recordTypes
        case roles
    }

    /// Decodes a schema.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` if the data is not a schema.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        recordTypes = try container.decode([Record.RecordType: RecordType].self, forKey: .recordTypes)
        roles = Set(try container.decodeIfPresent([String].self, forKey: .roles) ?? [])
    }

    /// Encodes the schema.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(recordTypes, forKey: .recordTypes)
        if !roles.isEmpty { try container.encode(roles.sorted(), forKey: .roles) }
    }
}

/// Absent properties of a record type are not coded, and indexes are sorted, so that equal schemas have equal text.
extension Schema.RecordType: Codable {
    private enum CodingKeys: String, CodingKey {
        case fields
        case indexes
        case uniqueKeys
        case grants
    }

    /// Decodes a record type.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` if the data is not a record type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        fields = try container.decodeIfPresent([Record.FieldKey: Schema.Field].self, forKey: .fields) ?? [:]
        indexes = Set(try container.decodeIfPresent([[Record.FieldKey]].self, forKey: .indexes) ?? [])
        uniqueKeys = Set(try container.decodeIfPresent([[Record.FieldKey]].self, forKey: .uniqueKeys) ?? [])
        grants = (try container.decodeIfPresent([String: [Schema.Permission]].self, forKey: .grants) ?? [:])
            .mapValues(Set.init)
    }

    /// Encodes the record type.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fields, forKey: .fields)
        if !indexes.isEmpty { try container.encode(sortedIndexes, forKey: .indexes) }
        if !uniqueKeys.isEmpty { try container.encode(uniqueKeys.sortedByNames, forKey: .uniqueKeys) }
        if !grants.isEmpty { try container.encode(grants.mapValues(\.sorted), forKey: .grants) }
    }
}

/// A field is coded in the words of the schema language: `{"type": "LIST<STRING>", "options": ["QUERYABLE"]}`.
extension Schema.Field: Codable {
    private enum CodingKeys: String, CodingKey {
        case type
        case options
        case deleteRule
    }

    /// Decodes a field.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` if the data is not a field, or names an unknown type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .type)
        guard let type = FieldType(name) else {
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: container, debugDescription: "There is no field type '\(name)'.")
        }
        self.type = type
        options = try container.decodeIfPresent(Options.self, forKey: .options) ?? []
        deleteRule = try container.decodeIfPresent(String.self, forKey: .deleteRule).map { word in
            guard let action = Reference.Action.allCases.first(where: { $0.word == word }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .deleteRule, in: container, debugDescription: "There is no delete rule '\(word)'.")
            }
            return action
        }
    }

    /// Encodes the field.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type.description, forKey: .type)
        if !options.isEmpty { try container.encode(options, forKey: .options) }
        try container.encodeIfPresent(deleteRule?.word, forKey: .deleteRule)
    }
}

/// Options are coded as the schema language's words.
extension Schema.Field.Options: Codable {
    /// Decodes options.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` if a word is not an option.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self = []
        while !container.isAtEnd {
            let word = try container.decode(String.self)
            guard let option = Self.words.first(where: { $0.word == word })?.option else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "There is no option '\(word)'.")
            }
            insert(option)
        }
    }

    /// Encodes the options.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for word in words { try container.encode(word) }
    }
}
