import Foundation

/// The changes that a batch of saves and deletions makes to a database, complete before any of them is applied.
struct BatchPlan: Sendable {
    /// The fields that the batch adds to the schema.
    var schemaAdditions: [(recordType: Record.RecordType, fields: [StoredField])] = []
    /// The user's own record, if it has to be created first.
    var userRecord: StoredRecord?
    /// New records.
    var insertions: [Insertion] = []
    /// Records that the batch saves, and those that lose a reference or a parent by a deletion.
    var updates: [Update] = []
    /// Records that the batch deletes, and those that the cascade deletes.
    var deletions: [StoredRecord] = []
    /// Records that the cascade deletes together, with the sequence numbers of their first deletions.
    var groups: [(group: ReferrerGroup, number: Int64)] = []
    /// Records that enter or leave a share although the batch does not save them, before and after.
    var moves: [(record: StoredRecord, replaced: StoredRecord)] = []
    /// The shares that the batch creates or deletes.
    var changedShares: Set<RecordID> = []
    /// The zones with records that have entered or left a share.
    private(set) var zonesWithMoves: Set<RecordZone.ID> = []
    /// The entries of the participants of shares.
    var participations: [StorageMutation] = []
    /// The last parts of the one-time URLs of participants of the saved and deleted shares, after the batch and before it.
    var oneTimeShortGUIDs: (current: Set<String>, former: Set<String>) = ([], [])
    /// The assets that the batch adds, with the IDs of their uploads.
    var assetAdditions: [(asset: StoredAsset, uploadID: UUID)] = []
    /// The errors of the deletions that a reference denies, in a batch that is not atomic.
    var denials: [RecordID: CabinetError] = [:]
    /// The errors of the records that will not be saved or deleted.
    var failures: [RecordID: CabinetError] = [:]

    /// A new record.
    struct Insertion: Sendable {
        var record: StoredRecord
        /// Its position in the batch.
        let position: Int
    }

    /// A record in its new state.
    struct Update: Sendable {
        var record: StoredRecord
        let replaced: StoredRecord
        /// Its position in the batch; `nil` for a record that only loses references.
        let position: Int?
    }

    /// The number of records that the plan changes.
    var changeCount: Int {
        insertions.count + updates.count + deletions.count + groups.reduce(0) { $0 + $1.group.count }
            + (userRecord == nil ? 0 : 1)
    }

    /// Whether the plan changes no record.
    var isEmpty: Bool { changeCount == 0 }

    /// The assets of the plan's records that none of them keeps.
    var releasedAssets: Set<Asset.Checksum> {
        var released: Set<Asset.Checksum> = []
        for update in updates where update.replaced.fields.hasAssets {
            let kept = update.record.fields.storedAssets
            for asset in update.replaced.fields.storedAssets.subtracting(kept) { released.insert(asset.checksum) }
        }
        for record in deletions where record.fields.hasAssets {
            released.formUnion(record.fields.storedAssets.map(\.checksum))
        }
        return released
    }
}

extension BatchPlan {
    /// Assigns sequence numbers to the records, and returns the mutations of the plan.
    ///
    /// - Parameters:
    ///   - known: The loaded values that the plan is based on; its state and zones are updated with the numbers.
    ///   - date: The date of the deletions.
    /// - Throws: ``CabinetError/Code/internalError`` if the zone of a record was not loaded.
    mutating func mutations(_ known: inout KnownBatch, date: Date) throws(CabinetError) -> [StorageMutation] {
        var mutations = schemaAdditions.map { StorageMutation.addFields($0.fields, to: $0.recordType) }
        mutations.reserveCapacity(mutations.count + deletions.count + insertions.count + updates.count + 8)
        var numbers = ZoneNumbers(last: known.state.lastSequenceNumber)
        // After the records, because a store may apply adjacent mutations of one kind together.
        var entries = participations
        if var userRecord {
            userRecord.sequenceNumber = numbers.next(in: userRecord.recordID.zoneID)
            userRecord.insertionNumber = userRecord.sequenceNumber
            mutations.append(.insert(userRecord))
            self.userRecord = userRecord
        }
        for record in deletions {
            let deletion = StoredDeletion(
                recordID: record.recordID, recordType: record.recordType,
                sequenceNumber: numbers.next(in: record.recordID.zoneID), date: date)
            mutations.append(.delete(deletion, replacing: record))
            addMove(of: record, to: nil, deletion.sequenceNumber, date, &entries)
        }
        for index in groups.indices {
            let group = groups[index].group
            groups[index].number = numbers.next(group.count, in: group.target.zoneID)
        }
        for (asset, id) in assetAdditions {
            // A stored asset may have been damaged since; remove it, so that the new bytes replace it.
            mutations.append(.removeAsset(asset.checksum))
            mutations.append(.addAsset(asset, uploadedAs: id))
        }
        for index in insertions.indices {
            let number = numbers.next(in: insertions[index].record.recordID.zoneID)
            insertions[index].record.sequenceNumber = number
            insertions[index].record.insertionNumber = number
            mutations.append(.insert(insertions[index].record))
        }
        for index in updates.indices {
            updates[index].record.sequenceNumber = numbers.next(in: updates[index].record.recordID.zoneID)
            let (record, old) = (updates[index].record, updates[index].replaced)
            mutations.append(.update(record, replacing: old))
            // Mostly no hierarchy is shared.
            if known.hierarchy != nil {
                addMove(of: old, to: record.shareName, record.sequenceNumber, date, &entries)
            }
        }
        for (record, old) in moves {
            mutations.append(.update(record, replacing: old))
            // The record keeps its own number, and so its change tag.
            if isMove(old, to: record.shareName) {
                addMove(of: old, to: record.shareName, numbers.next(in: old.recordID.zoneID), date, &entries)
            }
        }
        mutations += entries
        known.state.lastSequenceNumber = numbers.last
        try numbers.mark(&known.zones, &mutations)
        return mutations
    }

    private func isMove(_ old: StoredRecord, to shareName: String?) -> Bool {
        ShareMove(old, to: shareName, except: changedShares, date: .distantPast) != nil
    }

    /// Adds the entry from which participants learn that a record has entered or left a share.
    private mutating func addMove(
        of old: StoredRecord, to shareName: String?, _ number: Int64, _ date: Date, _ entries: inout [StorageMutation]
    ) {
        guard var move = ShareMove(old, to: shareName, except: changedShares, date: date) else { return }
        move.number = number
        zonesWithMoves.insert(old.recordID.zoneID)
        entries.append(move.mutation(in: old.recordID.zoneID))
    }
}
