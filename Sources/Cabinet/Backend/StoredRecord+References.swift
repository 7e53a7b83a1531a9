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

    /// Whether the record refers to the same records as another state of it, in the same fields.
    func hasReferences(of other: StoredRecord) -> Bool {
        guard parentName == other.parentName, fields.names === other.fields.names else { return false }
        return zip(fields.values, other.fields.values).allSatisfy { value, old in
            switch (value, old) {
            case (.reference?, _), (.list(.reference)?, _), (_, .reference?), (_, .list(.reference)?): value == old
            default: true
            }
        }
    }
}

extension StoredReference {
    /// Whether something happens when the target is deleted.
    public var hasRule: Bool {
        if case .field(_, action: .none) = place { false } else { true }
    }
}
