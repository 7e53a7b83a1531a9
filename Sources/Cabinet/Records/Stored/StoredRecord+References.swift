extension StoredRecord {
    /// Every reference that the record holds: in fields, in lists, and as its parent.
    ///
    /// - Complexity: O(*n*) in the number of fields and list elements.
    public var references: [StoredReference] {
        var found: [StoredReference] = []
        forEachReference { found.append($0) }
        return found
    }

    /// Calls a closure with every reference that the record holds.
    func forEachReference(_ body: (StoredReference) -> Void) {
        func tell(_ reference: Reference, in key: Record.FieldKey) {
            body(
                StoredReference(
                    target: reference.recordID, source: recordID, place: .field(key, action: reference.action)))
        }
        for (position, value) in fields.values.enumerated() {
            switch value {
            case .reference(let reference): tell(reference, in: fields.names.names[position])
            case .list(.reference(let references)):
                for reference in references { tell(reference, in: fields.names.names[position]) }
            default: break
            }
        }
        if let parentName {
            let parent = RecordID(recordName: parentName, zoneID: recordID.zoneID)
            body(StoredReference(target: parent, source: recordID, place: .parent))
        }
    }

    /// Replaces the IDs in the record's identity and its fields.
    mutating func mapRecordIDs(_ transform: (RecordID) -> RecordID) {
        recordID = transform(recordID)
        fields.mapReferences { Reference(recordID: transform($0.recordID), action: $0.action) }
    }

    /// Whether the record refers to the same records as another state of it, in the same fields.
    func hasReferences(of other: StoredRecord) -> Bool {
        guard parentName == other.parentName, fields.names === other.fields.names else { return false }
        // In place: copying each value would cost more than reading it.
        return fields.values.withUnsafeBufferPointer { values in
            other.fields.values.withUnsafeBufferPointer { others in
                for position in values.indices where values[position].refers || others[position].refers {
                    if values[position] != others[position] { return false }
                }
                return true
            }
        }
    }
}

extension FieldValue? {
    /// Whether this is a reference, or a list of some.
    fileprivate var refers: Bool {
        switch self {
        case .reference?, .list(.reference)?: true
        default: false
        }
    }
}

extension StoredReference {
    /// Whether the deletion of the target affects the source.
    ///
    /// It does if the reference is a parent, or has another action than ``Reference/Action/none``.
    public var hasRule: Bool {
        if case .field(_, action: .none) = place { false } else { true }
    }
}

/// A reference with a delete rule, found from its target.
public struct StoredReference: Sendable, Hashable {
    /// The record that is referred to.
    public let target: RecordID

    /// The record that holds the reference.
    public let source: RecordID

    /// The part of the source that holds the reference.
    public let place: Place

    /// The part of a record that holds a reference.
    public enum Place: Sendable, Hashable {
        /// In a field, or in an element of the field's list, with the reference's action.
        case field(Record.FieldKey, action: Reference.Action)

        /// As the record's parent.
        case parent
    }

    /// Creates a reference found from its target.
    public init(target: RecordID, source: RecordID, place: Place) {
        self.target = target
        self.source = source
        self.place = place
    }
}
