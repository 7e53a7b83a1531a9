extension StoredRecord {
    /// Every reference that the record holds: in fields, in lists, and as its parent.
    ///
    /// - Complexity: O(*n*) in the number of fields and list elements.
    public var references: [StoredReference] {
        var found: [StoredReference] = []
        func add(_ reference: Reference, in key: Record.FieldKey) {
            found.append(
                StoredReference(
                    target: reference.recordID, source: recordID, place: .field(key, action: reference.action)))
        }
        for (key, value) in zip(fields.names.names, fields.values) {
            switch value {
            case .reference(let reference): add(reference, in: key)
            case .list(.reference(let references)): references.forEach { add($0, in: key) }
            default: break
            }
        }
        if let parentName {
            let parent = RecordID(recordName: parentName, zoneID: recordID.zoneID)
            found.append(StoredReference(target: parent, source: recordID, place: .parent))
        }
        return found
    }
}

extension StoredReference {
    /// Whether something happens when the target is deleted.
    public var hasRule: Bool {
        if case .field(_, action: .none) = place { false } else { true }
    }
}
