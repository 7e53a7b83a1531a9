/// A record is coded completely, with its identity, fields and unsaved changes, so that a decoded record can be saved.
extension Record: Codable {
    private enum CodingKeys: String, CodingKey {
        case header
        case fields
        case fetched
        case misfits
    }

    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            header: try container.decode(Header.self, forKey: .header),
            fields: try container.decode(FieldValues.self, forKey: .fields),
            fetched: try container.decodeIfPresent(Fetched.self, forKey: .fetched))
        let misfits = try container.decodeIfPresent([FieldKey: String].self, forKey: .misfits) ?? [:]
        if !misfits.isEmpty { mutate { $0.misfits = misfits } }
    }

    /// Encodes the record, as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(header, forKey: .header)
        try container.encode(fields, forKey: .fields)
        try container.encodeIfPresent(fetched, forKey: .fetched)
        if !misfits.isEmpty { try container.encode(misfits, forKey: .misfits) }
    }
}
