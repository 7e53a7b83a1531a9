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
        var outcome = Outcome()
        while true {
            let (end, failures) = try await state.save(batch, then: step(outcome.deferred))
            if failures.isEmpty {
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

    /// Fetches those of the records that exist.
    func stored(_ ids: [RecordID], desiredKeys: [Record.FieldKey]?) async throws -> [RecordID: Record] {
        if ids.isEmpty { return [:] }
        return try await database.records(for: ids, desiredKeys: desiredKeys).compactMapValues { try? $0.get() }
    }
}
