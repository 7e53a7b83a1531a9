/// The changes of two clients to one record, field by field.
///
/// The parent is merged like a field, under the name `parent`, which no field can have.
struct ThreeWayMerge {
    private let conflict: RecordConflict

    init(_ conflict: RecordConflict) {
        self.conflict = conflict
    }

    /// Returns the server's record with the client's changes.
    ///
    /// - Parameter decide: Returns the value of a field that both have changed to different values.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the two records are of different types, and the errors of
    ///   `decide`.
    func record(_ decide: (FieldConflict) throws -> FieldValue?) throws -> Record {
        let (client, server) = (conflict.clientRecord, conflict.serverRecord)
        guard client.recordType == server.recordType else {
            throw CabinetError(
                .invalidArguments,
                "The record is of the type \(client.recordType), and another client has saved one of the type \(server.recordType) under its ID. Save it under another ID.",
                recordID: server.recordID, conflict: conflict)
        }
        var merged = server
        for key in client.changedKeys() {
            let merger = FieldMerger(
                key: key, client: client.fields[key], server: server.fields[key],
                ancestor: conflict.ancestorRecord.flatMap { $0.fields.knows(key) ? .some($0.fields[key]) : nil })
            if case .some(let value) = try merger.change(decide) { merged.setFieldValue(value, forKey: key) }
        }
        let parents = FieldMerger(
            key: Self.parentKey, client: client.parent.map(FieldValue.reference),
            server: server.parent.map(FieldValue.reference),
            ancestor: conflict.ancestorRecord.map { $0.parent.map(FieldValue.reference) })
        if client.parent != conflict.ancestorRecord?.parent, case .some(let value) = try parents.change(decide) {
            merged.parent = try parent(value)
        }
        return merged
    }

    private func parent(_ value: FieldValue?) throws -> Reference? {
        switch value {
        case nil: return nil
        case .reference(let reference)?: return reference
        case let value?:
            throw CabinetError(
                .invalidArguments,
                "The conflict resolver returned \(value) as the record's parent, which is a reference.",
                recordID: conflict.serverRecord.recordID, fieldKey: Self.parentKey)
        }
    }

    private static let parentKey = "parent"
}

/// The three values of one field.
private struct FieldMerger {
    let key: Record.FieldKey
    let client: FieldValue?
    let server: FieldValue?
    /// The fetched value, which may be `nil`, or `nil` if the client did not fetch the field.
    let ancestor: FieldValue??

    /// Returns the value that replaces the server's, which may be none, or `nil` if the server's remains.
    func change(_ decide: (FieldConflict) throws -> FieldValue?) rethrows -> FieldValue?? {
        // A client that wrote 2 over 2.0, or has 2 where the server has 2.0, has no conflict.
        if FieldValue.isSame(client, server) { return nil }
        if let ancestor, FieldValue.isSame(client, ancestor) { return nil }
        // A field that the client did not fetch may or may not have changed, so a value counts as a change.
        guard !FieldValue.isSame(server, ancestor ?? nil) else { return .some(client) }
        let value = try decide(
            FieldConflict(key: key, client: client, server: server, ancestor: ancestor ?? nil))
        return FieldValue.isSame(value, server) ? nil : .some(value)
    }
}
