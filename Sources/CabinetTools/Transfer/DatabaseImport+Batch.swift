import Cabinet

extension DatabaseImport {
    /// The result of a batch.
    struct Outcome {
        /// The records whose lines have to be imported once more.
        var deferred: Set<RecordID> = []
        /// The number of records that were imported without a part, or not at all.
        var losses = 0
    }

    /// Saves and deletes the records of a batch in one transaction.
    ///
    /// A reference whose target is missing is cleared. A deletion that a reference denies, a record whose unique values another one
    /// has, and a share that the user cannot save, such as that of another owner, are left out.
    ///
    /// - Parameters:
    ///   - isLast: Whether no later line can help, so that what is refused is passed over and reported.
    ///   - step: Returns the entries that follow, from the records that are deferred.
    mutating func apply(
        _ batch: ImportBatch, isLast: Bool, _ report: (TransferEvent) -> Void,
        step: (Set<RecordID>) -> ImportState.Step
    ) async throws -> Outcome {
        var batch = try await replacingStored(batch)
        let guests = try await removeGuests(from: &batch)
        var outcome = Outcome()
        while true {
            let (end, failures) = try await state.save(batch, then: step(outcome.deferred))
            if failures.isEmpty {
                for (id, count) in guests where batch[id] != nil {
                    report(.notice("The share \(id) has lost \(count.counted("participant")) of its URL."))
                }
                position = end
                return outcome
            }
            let cleared = try await clearMissingReferences(in: &batch)
            var hasChanged = !cleared.isEmpty
            for (id, reason) in cleared {
                outcome.deferred.insert(id)
                if isLast { report(.loss(reason)) }
            }
            for (id, error) in failures.sorted(by: { $0.key.description < $1.key.description }) {
                let record = batch[id]?.record
                let (isDeletion, isShare) = (record == nil, record?.recordType == Share.recordType)
                let refusals: Set<CabinetError.Code> =
                    isDeletion
                    ? [.referenceViolation]
                    : isShare ? [.invalidArguments, .alreadyShared, .badDatabase] : [.constraintViolation]
                guard refusals.contains(error.code), isDeletion || isShare || !isLast else { continue }
                batch.remove(id)
                hasChanged = true
                outcome.deferred.insert(id)
                if !isLast { continue }
                let loss = isShare ? "The share \(id) was not imported." : "The record \(id) was not deleted."
                report(.loss("\(loss) \(error.message)"))
            }
            if !hasChanged, let error = failures.values.first { throw error }
            if isLast { (outcome.losses, outcome.deferred) = (outcome.losses + outcome.deferred.count, []) }
        }
    }

    /// Returns a batch whose records replace the stored ones of the same names, so that no field of those stays.
    private func replacingStored(_ batch: ImportBatch) async throws -> ImportBatch {
        var batch = batch
        var new: [RecordID: Record] = [:]
        for item in batch.items { new[item.id] = item.record }
        let types = try await stored(Array(new.keys), desiredKeys: []).mapValues(\.recordType)
        if types.isEmpty { return batch }
        // An update of a record of another type is refused when it is saved.
        let other = types.filter { new[$0.key]?.recordType != $0.value && batch[$0.key]?.removedKeys == nil }.map(\.key)
        if let error = try await state.delete(Array(other)).first?.value { throw error }
        let schema = try await database.schema()
        // A file is fetched only if the new record lacks it.
        var (whole, partial): ([RecordID], [RecordID]) = ([], [])
        for (id, type) in types where new[id]?.recordType == type {
            let hasAll = schema[type].fields.allSatisfy { $0.value.type.scalar != .asset || new[id]?[$0.key] != nil }
            if hasAll { partial.append(id) } else { whole.append(id) }
        }
        let keys = Set(types.values).flatMap { schema[$0].fields.filter { $0.value.type.scalar != .asset }.keys }
        let found = try await stored(whole, desiredKeys: nil)
            .merging(try await stored(partial, desiredKeys: Array(Set(keys)))) { first, _ in first }
        for (id, var record) in found {
            guard let wanted = new[id] else { continue }
            let removedKeys = batch[id]?.removedKeys
            for key in record.fields.keys where wanted.fields[key] == nil && removedKeys?.contains(key) != false {
                record[key] = nil
            }
            wanted.fields.forEach { record.setFieldValue($1, forKey: $0) }
            if removedKeys == nil || wanted.parent != nil { record.setParent(wanted.parent?.recordID) }
            batch.replace(id, with: record)
        }
        return batch
    }

    /// Removes the new participants that no save can add to a share: users who have come by its URL, and those of one-time URLs.
    ///
    /// - Returns: Their number in each share that had some.
    private func removeGuests(from batch: inout ImportBatch) async throws -> [(RecordID, Int)] {
        let sent = batch.items.compactMap { item in
            item.record.flatMap { $0.recordType == Share.recordType ? try? Share($0) : nil }
        }
        let known = try await stored(sent.map(\.recordID), desiredKeys: nil).compactMapValues { try? Share($0) }
        var found: [(RecordID, Int)] = []
        for var share in sent {
            let guests = share.participants.filter { participant in
                participant.role != .owner && known[share.recordID]?.current(participant) == nil
                    && (participant.isUnclaimed || participant.role == .publicUser || share.publicPermission != .none)
            }
            if guests.isEmpty { continue }
            guests.forEach { share.removeParticipant($0) }
            batch.replace(share.recordID, with: share.record)
            found.append((share.recordID, guests.count))
        }
        return found
    }

    /// Fetches those of the records that exist.
    func stored(_ ids: [RecordID], desiredKeys: [Record.FieldKey]?) async throws -> [RecordID: Record] {
        if ids.isEmpty { return [:] }
        return try await database.records(for: ids, desiredKeys: desiredKeys).compactMapValues { try? $0.get() }
    }
}
