import Cabinet
import Foundation

/// Copies the difference between a source at one instant and its target.
///
/// A store keeps old versions of rows as long as a snapshot is open. So a long pass ends early, and continues with another
/// snapshot: first the rest, and then the changes since the first one. The target is complete once a snapshot had nothing more.
struct CopyPass {
    let database: DatabaseKey
    let source: any StorageSnapshot
    let target: any StorageBackend
    /// The progress of the copy; `nil` if it has not begun.
    var checkpoint: CopyCheckpoint?
    let meter: CopyMeter
    /// The number of pages that this snapshot may still read.
    var pagesLeft: Int

    /// The maximum number of pages of a snapshot.
    static let pagesOfSnapshot = 25

    /// Ends a pass whose snapshot has been open for long, so that it continues with another one.
    struct Interruption: Error {}

    /// The maximum number of changes that are read, and written in one transaction.
    static let pageSize = 400
    /// The number of assets' bytes after which they and their records are committed.
    static let pageBytes: Int64 = 64 << 20

    /// Runs the pass.
    mutating func run() async throws {
        let last = try await source.lastSequenceNumber()
        var checkpoint: CopyCheckpoint
        if let known = self.checkpoint, known.isReady, known.copiedNumber == last, known.pass == nil {
            checkpoint = known
        } else {
            checkpoint = try await begin(last)
            if meter.beginCounting() { try await expect() }
            let zones = try await source.zones(for: nil).sorted { $0.rank < $1.rank }
            // The rest of an interrupted pass, then the changes since that pass began.
            while true {
                try await copy(zones, &checkpoint)
                if checkpoint.copiedNumber == last { break }
                checkpoint.pass = CopyCheckpoint.Pass(number: last, zone: .min, position: 0)
            }
        }
        self.checkpoint = checkpoint
        try await copySchema(checkpoint)
        try await copySubscriptions(checkpoint)
    }

    /// Throws if the task was cancelled.
    func checkCancellation() throws {
        if Task.isCancelled {
            throw CabinetError(
                .operationCancelled,
                "The task was cancelled while \(database) was copied. Start the copy again to resume it."
            )
        }
    }

    /// Counts the items to copy, for the progress handler.
    private func expect() async throws {
        @Sendable func content(
            of snapshot: any StorageSnapshot
        ) async throws -> (records: Int, assets: Int, bytes: Int64) {
            var result = (records: 0, assets: 0, bytes: Int64(0))
            for type in try await snapshot.schema().recordTypes.keys {
                result.records += try await snapshot.count(ofType: type)
            }
            var last: Asset.Checksum?
            while let assets = snapshot.abilities.assets {
                let page = try await assets.assets(after: last, limit: 1000)
                result.assets += page.count
                // A damaged row may have any size.
                result.bytes = page.reduce(result.bytes) { $0 &+ $1.size }
                guard page.count == 1000 else { break }
                last = page.last?.checksum
            }
            return result
        }
        let all = try await content(of: source)
        let copied = try await target.read(database) { try await content(of: $0) }
        meter.advance { progress in
            (progress.totalRecords, progress.totalAssets, progress.totalBytes) = all
            (progress.completedRecords, progress.completedAssets, progress.completedBytes) = copied
        }
    }

    /// Prepares the target: its numbers, its schema, its zones.
    private func begin(_ last: Int64) async throws -> CopyCheckpoint {
        let zones = try await source.zones(for: nil)
        let schema = try await source.schema()
        let sourceBeginning = try await source.beginning()
        let (checkpoint, counts) = try await target.write(database) { [database, known = checkpoint] transaction in
            try await known?.check(in: transaction)
            if known == nil, let content = try await CopyPreflight.content(of: transaction) {
                throw CopyPreflight.refusal(database, "its \(content)")
            }
            var mutations: [StorageMutation] = []
            var checkpoint: CopyCheckpoint
            if let known, !known.isReady, last <= known.recordLimit {
                checkpoint = known
            } else {
                let numbers = try CopyNumbers(above: max(last, try await transaction.lastSequenceNumber()))
                try await transaction.reserveSequenceNumbers(upTo: numbers.recordLimit)
                // Until the copy is complete, no number reaches the beginning, so that the target reports no changes.
                let zone = StoredZone(
                    zoneID: .default, creatorName: "", creationNumber: numbers.beginning,
                    changeNumber: numbers.beginning)
                mutations.append(try BookkeepingEntry.zone(zone).mutation())
                checkpoint =
                    known
                    ?? CopyCheckpoint(
                        sourceBeginning: sourceBeginning, beginning: numbers.beginning,
                        recordLimit: numbers.recordLimit)
                (checkpoint.beginning, checkpoint.recordLimit) = (numbers.beginning, numbers.recordLimit)
                checkpoint.isReady = false
            }
            if checkpoint.pass == nil {
                checkpoint.pass = CopyCheckpoint.Pass(number: last, zone: .min, position: 0)
            }
            mutations += schema.additions(to: try await transaction.schema())
            let changes = try await Self.zoneChanges(from: zones, in: transaction)
            try await checkpoint.apply(mutations + changes.mutations, to: transaction)
            if changes.removesZones, try await !transaction.schema().assetKeys.isEmpty {
                try await AssetRule.removeAllUnused(in: transaction)
            }
            return (checkpoint, changes.counts)
        }
        meter.count(counts)
        return checkpoint
    }

    /// Plans to make the target's zones those of the source.
    private static func zoneChanges(
        from zones: [StoredZone], in transaction: any StorageTransaction
    ) async throws -> (mutations: [StorageMutation], removesZones: Bool, counts: CopyCounts) {
        var known: [RecordZone.ID: StoredZone] = [:]
        for zone in try await transaction.zones(for: nil) where zone.zoneID != .default { known[zone.zoneID] = zone }
        var changed: [StoredZone] = []
        var counts = CopyCounts()
        for zone in zones where zone.zoneID != .default {
            if var copy = known[zone.zoneID], copy.creationNumber == zone.creationNumber {
                known[zone.zoneID] = nil
                if copy.changeNumber == zone.changeNumber { continue }
                copy.changeNumber = zone.changeNumber
                changed.append(copy)
            } else {
                counts.changedZones += 1
                changed.append(
                    StoredZone(
                        zoneID: zone.zoneID, creatorName: zone.creatorName, creationNumber: zone.creationNumber,
                        changeNumber: zone.changeNumber))
            }
        }
        // The remaining zones were deleted in the source, and perhaps created again there.
        var mutations: [StorageMutation] = []
        if !known.isEmpty {
            let (first, date) = (try await transaction.reserveSequenceNumbers(known.count), Date())
            var removals: [ZoneRemoval] = []
            for (offset, zone) in known.values.enumerated() {
                mutations += [.eraseZone(zone.zoneID), .setEntry(BookkeepingEntry.zone(zone).key, nil)]
                removals.append(
                    ZoneRemoval(of: zone.zoneID, sequenceNumber: first + Int64(offset), date: date))
            }
            mutations += try await transaction.mutations(storing: removals)
        }
        mutations += try changed.map { try BookkeepingEntry.zone($0).mutation() }
        counts.changedZones += known.count
        return (mutations, !known.isEmpty, counts)
    }
}

extension StorageSnapshot {
    /// The number of records of a type.
    func count(ofType recordType: Record.RecordType) async throws -> Int {
        let schema = try await schema()
        return try await count(
            matching: QueryPlan(
                recordType: recordType, filter: .constant(true), fields: FieldTypes(of: recordType, in: schema)))
    }
}

extension StoredSchema {
    /// Returns the mutations that add the types and fields which only this schema has to another one.
    func additions(to other: StoredSchema) -> [StorageMutation] {
        recordTypes.sorted { $0.key < $1.key }.compactMap { recordType, fields in
            let known = other.recordTypes[recordType]
            let new = fields.filter { known?[$0.key] == nil }
                .map { StoredField(name: $0, type: $1) }
                .sorted { $0.name < $1.name }
            return known == nil || !new.isEmpty ? .addFields(new, to: recordType) : nil
        }
    }
}
