/// A local change of a record that a mirror has not sent to its server.
///
/// A record has at most one, however often it was edited. Its content is the local record itself, or its absence.
package struct PendingChange: Sendable {
    /// The record.
    internal(set) package var recordID: RecordID

    /// The number of the latest transaction that has changed the record or its ancestor.
    ///
    /// A send remembers the number, so it notices an edit that was made while the record was on its way.
    package var number: Int64

    /// The server's version that the change is based on; `nil` if the server has no such record.
    package var ancestor: Record?

    /// The version that the change was based on until the server deleted it; `nil` if the server has one, or had none.
    ///
    /// Another device may create the record again. Its values replace those that the change has kept of this version.
    var deletedAncestor: Record?

    /// The number of the transaction in which the program has created the record again, after it had deleted the ``ancestor`` here; `nil`
    /// for an edit of that version.
    ///
    /// Such a record is the program's own. It replaces the ancestor as long as the server has that. The deletion of the ancestor by another
    /// client, or by a cascade of the server, does not delete this record.
    var creationNumber: Int64?

    /// The error for which the change is set aside; `nil` while it will be sent.
    package var error: CabinetError?

    /// Whether the change is one of the server, its ``ancestor``, which the local store cannot hold; it always has an error.
    package var isIncoming = false

    /// The effect of another record's deletion, which is the change or a part of it; while there is one, the change is not sent.
    package var effect: DeletionEffect?

    /// The records on which the deletion of this one has had effects, which end with it.
    package var affected: [RecordID] = []

    init(
        recordID: RecordID, number: Int64, ancestor: Record?, deletedAncestor: Record? = nil,
        error: CabinetError? = nil, isIncoming: Bool = false
    ) {
        (self.recordID, self.number, self.ancestor) = (recordID, number, ancestor)
        (self.deletedAncestor, self.error, self.isIncoming) = (deletedAncestor, error, isIncoming)
    }
}

extension PendingChange {
    /// Bases the change on a version of the server, or on none.
    mutating func rebase(onto version: Record?) {
        (ancestor, deletedAncestor) = (version, nil)
    }

    /// Bases the change on none, because the server has deleted its version.
    mutating func loseAncestor() {
        // A record that was created again has kept nothing of the deleted version.
        let deleted = creationNumber == nil ? ancestor ?? deletedAncestor : nil
        (ancestor, deletedAncestor, creationNumber) = (nil, deleted, nil)
    }

    /// Returns a local record as a change of its ancestor, which a save sends and a conflict compares.
    func client(_ local: StoredRecord) -> Record {
        if let ancestor, ancestor.recordType == local.recordType {
            return edits(of: local, since: ancestor, on: ancestor)
        }
        var fields = local.fields.visible
        if fields.values.contains(nil) {
            // The name of a field without a value would ask the server to remove its value.
            var own = FieldValues.empty
            fields.forEach { own[$0] = $1 }
            fields = own
        }
        return Record(recordType: local.recordType, recordID: local.recordID, fields: fields, parent: local.parent)
    }

    /// Returns a local record as a change of a version that is older than its ancestor; `nil` if the version is later.
    ///
    /// The server was restored from a backup. No other client has changed the fields in which the version and the ancestor differ, so
    /// no edit is in conflict with them. Dates would not show it: a record that was sent keeps that of the device's clock.
    func client(_ local: StoredRecord, ofRestored server: Record) -> Record? {
        guard let ancestor, ancestor.recordType == local.recordType, server.recordType == local.recordType,
            let number = server.recordChangeTag.flatMap(StoredRecord.sequenceNumber),
            let known = ancestor.recordChangeTag.flatMap(StoredRecord.sequenceNumber), number < known
        else { return nil }
        return edits(of: local, since: ancestor, on: server)
    }

    private func edits(of local: StoredRecord, since ancestor: Record, on version: Record) -> Record {
        var record = version
        let fields = local.fields.visible
        for key in Set(fields.keys).union(ancestor.fields.keys)
        where !FieldValue.isSame(fields[key], ancestor.fields[key]) {
            record.setFieldValue(fields[key], forKey: key)
        }
        if local.parent != ancestor.parent { record.parent = local.parent }
        return record
    }
}

/// A change as it was sent to the server, whose answer may not have arrived.
package struct SentChange: Sendable {
    /// The number of the pending change.
    let number: Int64

    /// The server's change tag of the ancestor.
    let tag: String?

    /// The record with the fields that were sent; `nil` for a deletion.
    let record: Record?

    /// Whether a server's record is exactly what was sent.
    ///
    /// - Parameters:
    ///   - server: The server's record.
    ///   - change: The pending change.
    func isContent(of server: Record, _ change: PendingChange) -> Bool {
        guard let record, change.ancestor?.recordChangeTag == tag, record.recordType == server.recordType,
            record.parent == server.parent
        else { return false }
        let base = change.ancestor?.fields ?? .empty
        let keys = Set(record.fields.names.names).union(base.keys).union(server.fields.keys)
        return keys.allSatisfy { key in
            let sent = record.fields.names.position(of: key) == nil ? base[key] : record.fields[key]
            return FieldValue.isSame(sent, server.fields[key])
        }
    }

    /// Returns what later edits of a record are based on, if a server's version has values that were sent: the ancestor with these values.
    ///
    /// The answer to the send may be lost, and another client may have changed other fields since.
    ///
    /// - Parameters:
    ///   - server: The server's record.
    ///   - change: The pending change.
    func ancestor(of server: Record, _ change: PendingChange) -> Record? {
        guard let record, change.ancestor?.recordChangeTag == tag, record.recordType == server.recordType else {
            return nil
        }
        let earlier = change.ancestor ?? change.deletedAncestor
        var ancestor =
            earlier.flatMap { $0.recordType == server.recordType ? $0 : nil }
            ?? Record(recordType: server.recordType, recordID: server.recordID)
        for key in record.fields.names.names where FieldValue.isSame(record.fields[key], server.fields[key]) {
            ancestor.setFieldValue(server.fields[key], forKey: key)
        }
        return ancestor
    }
}
