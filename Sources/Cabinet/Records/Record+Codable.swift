public import Foundation

/// A record is coded whole: its identity, its fields, and its unsaved changes, so that a decoded record can be saved.
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
            fields: try container.decode(RecordFields.self, forKey: .fields),
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

extension Record {
    /// The record without its fields, as bytes that ``init(systemFields:)`` reads.
    ///
    /// A program that keeps records in a store of its own keeps these bytes beside them, and makes of them a record that
    /// can be saved: identity, type, change tag, dates, users and parent. Unsaved changes are not among them.
    public func encodeSystemFields() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var header = header
        if let fetched { header.parent = fetched.parent }
        // A header holds strings, dates and IDs, all of which JSON can hold.
        return (try? encoder.encode(header)) ?? Data()
    }

    /// Makes a record of what ``encodeSystemFields()`` wrote.
    ///
    /// The record has no fields and no changed keys. Fields set on it are saved; the others keep the server's values.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the bytes are not of that kind.
    public init(systemFields: Data) throws {
        do {
            let header = try JSONDecoder().decode(Header.self, from: systemFields)
            let nothingKnown = RecordFields(names: .empty, values: [], isComplete: false)
            // A record that was never saved has no tag, and all that is set on it is new.
            let fetched = header.recordChangeTag.map { _ in Fetched(fields: nothingKnown, parent: header.parent) }
            self.init(header: header, fields: fetched == nil ? .empty : nothingKnown, fetched: fetched)
        } catch {
            throw CabinetError(
                .invalidArguments, "These bytes are not a record's encoded system fields.", underlyingError: error)
        }
    }
}

extension RecordFields: Codable {
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
