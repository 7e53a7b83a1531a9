import Cabinet

extension TransactionContext {
    /// Enqueues mutations, in their order; consecutive ones of one kind share statements.
    ///
    /// This does not wait for the answers.
    func apply(_ mutations: [StorageMutation]) async throws {
        var start = mutations.startIndex
        while start < mutations.endIndex {
            let first = mutations[start]
            let end = mutations[(start + 1)...].firstIndex { !$0.isAlike(first) } ?? mutations.endIndex
            try await applyAlike(mutations[start..<end])
            start = end
        }
    }

    /// Applies mutations of one kind.
    private func applyAlike(_ mutations: ArraySlice<StorageMutation>) async throws {
        switch mutations.first {
        case .insert:
            try await insert(mutations.compactMap { if case .insert(let record) = $0 { record } else { nil } })
        case .update:
            try await update(mutations.compactMap { if case .update(let record, _) = $0 { record } else { nil } })
        case .delete: try delete(mutations.compactMap { if case .delete(let gone, _) = $0 { gone } else { nil } })
        case .setEntry:
            try setEntries(
                mutations.compactMap { mutation -> (key: StorageKey, text: String?)? in
                    if case .setEntry(let key, let text) = mutation { (key, text) } else { nil }
                })
        case .removeAsset:
            try removeAssets(
                mutations.compactMap { if case .removeAsset(let checksum) = $0 { checksum } else { nil } })
        case .forgetDeletions, .eraseZone, .addFields, .setIndexes, .rename, .remove, .addAsset, nil:
            for mutation in mutations { try await applyAlone(mutation) }
        }
    }

    private func applyAlone(_ mutation: StorageMutation) async throws {
        switch mutation {
        case .forgetDeletions(let zoneID, let number): try forgetDeletions(in: zoneID, through: number)
        case .eraseZone(let zoneID): try eraseZone(zoneID)
        case .addFields(let fields, let recordType): try add(fields, to: recordType)
        case .setIndexes(let indexes, let recordType): try setIndexes(indexes, of: recordType)
        case .rename(let part, let newName): try rename(part, to: newName)
        case .remove(let part): try remove(part)
        case .addAsset(let asset, let id): try add(asset, uploadedAs: id)
        case .insert, .update, .delete, .setEntry, .removeAsset: try await applyAlike([mutation])
        }
    }
}

extension StorageMutation {
    /// Whether a mutation is of the same kind, and that kind can share statements.
    fileprivate func isAlike(_ other: StorageMutation) -> Bool {
        switch (self, other) {
        case (.insert, .insert), (.update, .update), (.delete, .delete), (.setEntry, .setEntry),
            (.removeAsset, .removeAsset):
            true
        default: false
        }
    }
}
