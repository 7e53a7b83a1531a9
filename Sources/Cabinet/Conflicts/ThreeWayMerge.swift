/// The changes of a client and of others, made to one record, field by field.
struct ThreeWayMerge {
    private let conflict: RecordConflict

    init(_ conflict: RecordConflict) {
        self.conflict = conflict
    }

    /// The server's record with the client's changes.
    ///
    /// - Parameter decide: The value of a field that both have changed to different values.
    func record(_ decide: (FieldConflict) throws -> FieldValue?) rethrows -> Record {
        var merged = conflict.serverRecord
        for key in clientChanges {
            let client = conflict.clientRecord.fields[key]
            let server = conflict.serverRecord.fields[key]
            if client == server { continue }
            let value =
                serverHasChanged(key)
                ? try decide(
                    FieldConflict(
                        key: key, client: client, server: server,
                        ancestor: conflict.ancestorRecord?.fields[key]))
                : client
            if value != server { merged[key] = value?.recordValue }
        }
        if parentToSend != merged.parent { merged.parent = parentToSend }
        return merged
    }

    /// The fields that the client has changed; all that it has, if it never fetched the record.
    private var clientChanges: [Record.FieldKey] {
        conflict.ancestorRecord == nil ? conflict.clientRecord.allKeys() : conflict.clientRecord.changedKeys()
    }

    /// Whether others have changed a field since the client fetched the record; of one that it did not fetch, nobody can tell.
    private func serverHasChanged(_ key: Record.FieldKey) -> Bool {
        guard let ancestor = conflict.ancestorRecord, ancestor.fields.knows(key) else {
            return conflict.serverRecord.fields[key] != nil
        }
        return ancestor.fields[key] != conflict.serverRecord.fields[key]
    }

    /// The parent is no field, and nobody is asked about it: the client's change is made unless the server's was changed too.
    private var parentToSend: Reference? {
        let ancestor = conflict.ancestorRecord?.parent
        let (client, server) = (conflict.clientRecord.parent, conflict.serverRecord.parent)
        return client != ancestor && server == ancestor ? client : server
    }
}
