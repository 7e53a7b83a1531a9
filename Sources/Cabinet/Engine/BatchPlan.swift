import Foundation

/// What a batch of saves and deletions does to a database: worked out whole before anything is done.
struct BatchPlan: Sendable {
    /// The fields that the batch adds to the schema.
    var schemaAdditions: [(recordType: Record.RecordType, fields: [StoredField])] = []
    /// New records.
    var insertions: [StoredRecord] = []
    /// Records that the batch saves, and those that lose a reference or a parent by a deletion, in their new state.
    var updates: [StoredRecord] = []
    /// Where the insertions are in the batch.
    private(set) var insertionPositions: [Int] = []
    /// Where the updates are in the batch, as far as they are among its records; the others come after them.
    private(set) var updatePositions: [Int] = []
    /// Records that the batch deletes, and those that go with them.
    var deletions: [RecordID] = []
    /// The assets that the batch adds, and the uploads that have their bytes.
    var assetAdditions: [(asset: StoredAsset, uploadID: UUID)] = []
    /// Assets that records had, and that maybe none has any more.
    var assetCandidates: Set<Asset.Checksum> = []
    /// The records that will not be saved or deleted, and why.
    var failures: [RecordID: CabinetError] = [:]

    /// Adds a record that the batch saves.
    mutating func add(_ record: StoredRecord, at position: Int, isNew: Bool) {
        if isNew {
            insertions.append(record)
            insertionPositions.append(position)
        } else {
            updates.append(record)
            updatePositions.append(position)
        }
    }

    /// Carries the plan out.
    ///
    /// - Parameters:
    ///   - transaction: Where to.
    ///   - date: When this happens.
    ///   - retention: How long deletions are remembered.
    mutating func apply(to transaction: any StorageTransaction, date: Date, retention: ChangeRetention) async throws {
        for (recordType, fields) in schemaAdditions { try await transaction.add(fields, to: recordType) }
        let count = deletions.count + insertions.count + updates.count
        guard count > 0 else { return }
        let first = try await transaction.reserveSequenceNumbers(count)
        var number = first
        if !deletions.isEmpty {
            try await transaction.remove(deletions, firstSequenceNumber: number, date: date)
            number += Int64(deletions.count)
        }
        for index in insertions.indices {
            insertions[index].sequenceNumber = number
            number += 1
        }
        for index in updates.indices {
            updates[index].sequenceNumber = number
            number += 1
        }
        try await addAssets(to: transaction)
        if !insertions.isEmpty { try await transaction.insert(insertions) }
        if !updates.isEmpty { try await transaction.update(updates) }
        try await AssetRule.removeUnused(assetCandidates, in: transaction)
        // Each with a number of its own, which a page of changed zones can end at.
        for (zoneID, last) in lastNumbers(deletionsFrom: first) {
            try await transaction.markZones([zoneID], sequenceNumber: last)
        }
        guard !deletions.isEmpty, retention.isDue(from: first, to: number - 1) else { return }
        for zoneID in Set(deletions.map(\.zoneID)) {
            try await transaction.forgetDeletions(
                inZone: zoneID, before: retention.oldestDate(at: date), keepingLast: max(retention.count, 0))
        }
    }

    /// Adds the assets that were uploaded.
    ///
    /// One that is there already may have been damaged since; then the new bytes take its place.
    private func addAssets(to transaction: any StorageTransaction) async throws {
        if assetAdditions.isEmpty { return }
        let known = try await transaction.assets(for: assetAdditions.map(\.asset.checksum)).compactMap { $0?.checksum }
        if !known.isEmpty { try await transaction.removeAssets(known) }
        for (asset, id) in assetAdditions { try await transaction.add(asset, uploadedAs: id) }
    }

    /// The zones in which something changes, each with the highest number of its changes.
    private func lastNumbers(deletionsFrom first: Int64) -> [RecordZone.ID: Int64] {
        var numbers: [RecordZone.ID: Int64] = [:]
        var last: (zoneID: RecordZone.ID, number: Int64)?
        // Nearly always one zone, which is then entered once.
        func note(_ zoneID: RecordZone.ID, _ number: Int64) {
            if let last, last.zoneID != zoneID { numbers[last.zoneID] = last.number }
            last = (zoneID, number)
        }
        for (index, id) in deletions.enumerated() { note(id.zoneID, first + Int64(index)) }
        for record in insertions { note(record.recordID.zoneID, record.sequenceNumber) }
        for record in updates { note(record.recordID.zoneID, record.sequenceNumber) }
        if let last { numbers[last.zoneID] = last.number }
        return numbers
    }
}
