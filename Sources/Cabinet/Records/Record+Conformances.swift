extension Record: Hashable {
    /// Returns a Boolean value that indicates whether two records have the same identity, fields and system values.
    ///
    /// The values that were fetched before unsaved changes are not compared.
    public static func == (left: Self, right: Self) -> Bool {
        left.header == right.header && left.fields == right.fields && left.misfits == right.misfits
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(header)
        hasher.combine(fields)
    }
}

extension Record: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type, the name and the fields, such as `Items 0198… (name: "Milk", number: 2)`, with long values cut off.
    public var description: String {
        var fields: [String] = []
        self.fields.forEach { fields.append("\($0): \($1.description(upTo: 200))") }
        return "\(recordType) \(recordID) (\(fields.joined(separator: ", ")))"
    }

    /// The description with the change tag, and the names of unsaved fields.
    public var debugDescription: String {
        let changed = changedKeys()
        let unsaved = changed.isEmpty ? "" : ", unsaved: \(changed.joined(separator: ", "))"
        return "\(description) [tag: \(recordChangeTag ?? "none")\(unsaved)]"
    }

    /// The fields as a debugger shows them.
    public var customMirror: Mirror {
        var children: [Mirror.Child] = [
            ("recordType", recordType), ("recordID", recordID),
        ]
        fields.forEach { children.append(($0, $1.recordValue)) }
        if let parent { children.append(("parent", parent)) }
        if let share { children.append(("share", share)) }
        if let recordChangeTag { children.append(("recordChangeTag", recordChangeTag)) }
        if let creationDate { children.append(("creationDate", creationDate)) }
        if let modificationDate { children.append(("modificationDate", modificationDate)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

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
