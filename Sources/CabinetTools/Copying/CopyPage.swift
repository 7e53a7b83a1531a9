import Cabinet
import Foundation

/// Some changes of a zone of the source, in their order.
struct CopyPage: Sendable {
    let zoneID: RecordZone.ID
    var changes: [StoredChange] = []

    /// The changes that a transaction makes to the target.
    struct Plan: Sendable {
        var mutations: [StorageMutation] = []
        /// Assets that changed records had, and that may now be unused.
        var releasedAssets: Set<Asset.Checksum> = []
        var counts = CopyCounts()
    }

    /// Plans the changes that the target lacks.
    ///
    /// - Parameters:
    ///   - transaction: The transaction of the target.
    ///   - uploads: The assets that the records have and the target lacks, and the uploads with their bytes.
    func plan(in transaction: any StorageTransaction, _ uploads: [StoredAsset: UUID]) async throws -> Plan {
        var plan = Plan()
        var insertions: [StoredRecord] = []
        var updates: [StorageMutation] = []
        var removals: [StoredRecord] = []
        for (change, copy) in zip(changes, try await transaction.records(for: changes.map(\.recordID), keys: nil)) {
            switch change {
            case .saved(let record):
                if let copy, copy.sequenceNumber == record.sequenceNumber { continue }
                if let copy, copy.recordType == record.recordType {
                    updates.append(.update(record, replacing: copy))
                    let kept = record.fields.storedAssets
                    plan.releasedAssets.formUnion(copy.fields.storedAssets.subtracting(kept).map(\.checksum))
                } else {
                    // The record was deleted, and created again with another type.
                    if let copy { removals.append(copy) }
                    insertions.append(record)
                }
            case .deleted:
                if let copy { removals.append(copy) }
            }
        }
        try await add(removals, to: &plan, in: transaction)
        for (asset, id) in uploads {
            plan.mutations.append(.addAsset(asset, uploadedAs: id))
            plan.counts.assets += 1
            plan.counts.assetBytes += asset.size
        }
        plan.mutations += insertions.map(StorageMutation.insert) + updates
        plan.counts.savedRecords = insertions.count + updates.count
        plan.counts.newRecords = insertions.count
        return plan
    }

    /// Plans to delete records that the source no longer has.
    func plan(removing ids: [RecordID], in transaction: any StorageTransaction) async throws -> Plan {
        var plan = Plan()
        try await add(transaction.records(for: ids, keys: nil).compactMap(\.self), to: &plan, in: transaction)
        return plan
    }

    /// Deletes records without leaving tombstones, because no client has fetched them from the target.
    private func add(
        _ removals: [StoredRecord], to plan: inout Plan, in transaction: any StorageTransaction
    ) async throws {
        if removals.isEmpty { return }
        let first = try await transaction.reserveSequenceNumbers(removals.count)
        for (offset, record) in removals.enumerated() {
            let deletion = StoredDeletion(
                recordID: record.recordID, recordType: record.recordType, sequenceNumber: first + Int64(offset),
                date: .distantPast)
            plan.mutations.append(.delete(deletion, replacing: record))
            plan.releasedAssets.formUnion(record.fields.storedAssets.map(\.checksum))
        }
        let last = first + Int64(removals.count) - 1
        plan.mutations.append(.forgetDeletions(in: zoneID, through: last))
        if var zone = try await transaction.zones(for: [zoneID]).first {
            zone.expirationNumber = max(zone.expirationNumber, last)
            plan.mutations.append(try BookkeepingEntry.zone(zone).mutation())
        }
        plan.counts.removedRecords += removals.count
    }
}
