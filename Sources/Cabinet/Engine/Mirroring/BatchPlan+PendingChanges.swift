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
            affected[cause.deleted, default: []].append(edits[position].id)
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
            var change = edit.change(after: known, number: number)
            change.error = nil
            // A record may be deleted, saved again and deleted with the same cause.
            let earlier = Set(change.affected)
            change.affected += (affected[edit.id] ?? []).filter { !earlier.contains($0) }
            counts.replace(known, by: change)
            mutations.append(try change.mutation)
        }
        mutations.append(counts.mutation)
        return mutations
    }

    /// Returns the requested deletions that delete or change other records, by these records.
    private func causes(deleting requested: [RecordID]) -> [RecordID: PendingEdit.Cause] {
        if requested.isEmpty { return [:] }
        let requested = Set(requested)
        let nullified = updates.filter { $0.position == nil }
        if nullified.isEmpty, deletions.allSatisfy({ requested.contains($0.recordID) }) { return [:] }
        var owned: [RecordID: [RecordID]] = [:]
        var causes: [RecordID: PendingEdit.Cause] = [:]
        for record in deletions {
            let id = record.recordID
            if requested.contains(id) {
                causes[id] = PendingEdit.Cause(deleted: id)
            } else {
                record.forEachReference { if $0.isOwned { owned[$0.target, default: []].append(id) } }
            }
        }
        var path = deletions.map(\.recordID).filter(requested.contains)
        while let id = path.popLast() {
            guard let cause = causes[id]?.deleted else { continue }
            for source in owned[id] ?? [] where causes[source] == nil {
                causes[source] = PendingEdit.Cause(deleted: cause, target: id == cause ? nil : id)
                path.append(source)
            }
        }
        for update in nullified {
            let reference = update.replaced.references.first { $0.hasRule && causes[$0.target] != nil }
            guard let target = reference?.target, let cause = causes[target]?.deleted else { continue }
            causes[update.record.recordID] = PendingEdit.Cause(deleted: cause, target: target == cause ? nil : target)
        }
        return causes.filter { !requested.contains($0.key) }
    }
}

/// An edit of a record in a mirror.
private struct PendingEdit {
    let id: RecordID
    var old: StoredRecord?
    var new: StoredRecord?
    /// The deletion that makes the edit; `nil` if the program does.
    var cause: Cause?

    /// The deletion of a record that deletes or changes another one.
    struct Cause {
        /// The deleted record.
        let deleted: RecordID
        /// The record that the other one has referred to, if it is not the same.
        var target: RecordID?
    }

    /// Returns the pending change after the edit.
    ///
    /// - Parameters:
    ///   - known: The pending change before.
    ///   - number: The number of the transaction.
    func change(after known: PendingChange?, number: Int64) -> PendingChange {
        var change = known ?? PendingChange(recordID: id, number: 0, ancestor: old?.serverVersion, error: nil)
        change.number = number
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
            change.creationNumber = change.ancestor == nil ? nil : number
            return change
        }
        if let cause {
            let hasOwn = known != nil || old.serverTag == nil
            change.effect = DeletionEffect(
                cause: cause.deleted, target: cause.target,
                record: effect == nil ? (hasOwn ? old.ownVersion : nil) : effect?.record)
        } else if var effect, let new {
            effect.add((old, new), ancestor: change.ancestor)
            change.effect = effect
        }
        return change
    }
}
