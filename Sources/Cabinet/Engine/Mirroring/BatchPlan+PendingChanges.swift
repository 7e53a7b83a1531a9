extension BatchPlan {
    /// Returns the mutations by which a mirror remembers that the plan's changes have to be sent.
    ///
    /// A record that a cascade deletes, or that loses a reference, has the deletion as its cause: the server does the same to it by its
    /// own rules, if it can.
    ///
    /// - Parameters:
    ///   - requested: The records that the request deletes.
    ///   - number: The last number of the transaction.
    ///   - transaction: The transaction, before the plan is applied.
    func pendingChanges(
        deleting requested: [RecordID], number: Int64, in transaction: any StorageTransaction
    ) async throws -> [StorageMutation] {
        var edits: [PendingEdit] = []
        edits.reserveCapacity(changeCount)
        for record in deletions { edits.append(PendingEdit(id: record.recordID, old: record)) }
        for insertion in insertions { edits.append(PendingEdit(id: insertion.record.recordID, new: insertion.record)) }
        for update in updates {
            edits.append(PendingEdit(id: update.record.recordID, old: update.replaced, new: update.record))
        }
        // The user's own record is made by each store.
        edits.removeAll { $0.old?.recordType == UserRecordRule.recordType }
        if edits.isEmpty { return [] }
        var affected: [RecordID: [RecordID]] = [:]
        let causes = causes(deleting: requested)
        for position in causes.isEmpty ? 0..<0 : edits.indices {
            guard let cause = causes[edits[position].id] else { continue }
            edits[position].cause = cause
            affected[cause, default: []].append(edits[position].id)
        }
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
            var change = edit.change(after: known)
            change.number = number
            change.error = nil
            change.affected += affected[edit.id] ?? []
            counts.replace(known, by: change)
            mutations.append(try change.mutation)
        }
        mutations.append(counts.mutation)
        return mutations
    }

    /// Returns the requested deletions that delete or change other records, by these records.
    private func causes(deleting requested: [RecordID]) -> [RecordID: RecordID] {
        if requested.isEmpty { return [:] }
        let requested = Set(requested)
        let nullified = updates.filter { $0.position == nil }
        if nullified.isEmpty, deletions.allSatisfy({ requested.contains($0.recordID) }) { return [:] }
        var owned: [RecordID: [RecordID]] = [:]
        var causes: [RecordID: RecordID] = [:]
        for record in deletions {
            let id = record.recordID
            if requested.contains(id) {
                causes[id] = id
            } else {
                record.forEachReference { if $0.isOwned { owned[$0.target, default: []].append(id) } }
            }
        }
        var path = deletions.map(\.recordID).filter(requested.contains)
        while let id = path.popLast() {
            for source in owned[id] ?? [] where causes[source] == nil {
                causes[source] = causes[id]
                path.append(source)
            }
        }
        for update in nullified {
            let reference = update.replaced.references.first { $0.hasRule && causes[$0.target] != nil }
            causes[update.record.recordID] = reference.flatMap { causes[$0.target] }
        }
        return causes.filter { !requested.contains($0.key) }
    }
}

/// An edit of a record in a mirror.
private struct PendingEdit {
    let id: RecordID
    var old: StoredRecord?
    var new: StoredRecord?
    /// The record whose deletion makes the edit; `nil` if the program does.
    var cause: RecordID?

    /// Returns the pending change after the edit.
    ///
    /// - Parameter known: The pending change before.
    func change(after known: PendingChange?) -> PendingChange {
        var change = known ?? PendingChange(recordID: id, number: 0, ancestor: old?.serverVersion, error: nil)
        if change.isIncoming {
            // The edit is based on the version that is stored here, not on the one that did not fit.
            (change.isIncoming, change.ancestor) = (false, old?.serverVersion)
            return change
        }
        let effect = change.effect
        change.effect = nil
        guard let old else {
            // A record that is created again has kept nothing of its deleted version.
            change.deletedAncestor = nil
            return change
        }
        if let cause {
            let hasOwn = known != nil || old.serverTag == nil
            change.effect = DeletionEffect(
                cause: cause, record: effect == nil ? (hasOwn ? old.ownVersion : nil) : effect?.record)
        } else if var effect, let new {
            effect.add((old, new), ancestor: change.ancestor)
            change.effect = effect
        }
        return change
    }
}
