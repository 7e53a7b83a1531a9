extension BatchPlan {
    /// Returns the mutations by which a mirror remembers that the plan's changes have to be sent.
    ///
    /// Every changed record counts: those that the request names, those that a cascade deletes, and those that lose a reference. The
    /// server does the same by its own rules, if it can.
    ///
    /// - Parameters:
    ///   - number: The last number of the transaction.
    ///   - transaction: The transaction, before the plan is applied.
    func pendingChanges(
        number: Int64, in transaction: any StorageTransaction
    ) async throws -> [StorageMutation] {
        var edits: [(id: RecordID, old: StoredRecord?)] = []
        edits.reserveCapacity(changeCount)
        for record in deletions { edits.append((record.recordID, record)) }
        for insertion in insertions { edits.append((insertion.record.recordID, nil)) }
        for update in updates { edits.append((update.record.recordID, update.replaced)) }
        // The user's own record is made by each store.
        edits.removeAll { $0.old?.recordType == UserRecordRule.recordType }
        if edits.isEmpty { return [] }
        var zoneKeys = PendingChange.Keys()
        let keys = edits.map { zoneKeys.key($0.id) }
        let texts = try await transaction.load(StorageKeys(entries: [PendingCounts.key] + keys)).entries
        var counts = try PendingCounts(text: texts.first ?? nil)
        var mutations: [StorageMutation] = []
        mutations.reserveCapacity(edits.count + 1)
        // All records that the server does not have yet have the same entry.
        var textOfNew: String?
        for (position, edit) in edits.enumerated() {
            let known = try texts[position + 1].map { text throws(CabinetError) in
                try PendingChange(edit.id, StorageEntry(key: keys[position], text: text))
            }
            if known == nil, edit.old == nil {
                let change = PendingChange(recordID: edit.id, number: number, ancestor: nil, error: nil)
                let text = try textOfNew ?? change.text
                textOfNew = text
                counts.replace(nil, by: change)
                mutations.append(.setEntry(keys[position], text))
                continue
            }
            var change =
                known ?? PendingChange(recordID: edit.id, number: number, ancestor: edit.old?.serverVersion, error: nil)
            if change.isIncoming {
                // The edit is based on the version that is stored here, not on the one that did not fit.
                (change.isIncoming, change.ancestor) = (false, edit.old?.serverVersion)
            }
            // A record that is created again has kept nothing of its deleted version.
            if edit.old == nil { change.deletedAncestor = nil }
            change.number = number
            change.error = nil
            counts.replace(known, by: change)
            mutations.append(try change.mutation)
        }
        mutations.append(counts.mutation)
        return mutations
    }
}
