import Foundation

/// Brings into a target what a source has at one moment, and the target does not have yet.
struct CopyPass {
    let database: DatabaseKey
    let source: any StorageSnapshot
    let target: any StorageBackend
    /// How far the copy has come; `nil` if it has not begun.
    var note: CopyNote?
    let meter: CopyMeter

    /// The most changes that are read, and written in one transaction.
    static let pageSize = 400
    /// When so many bytes of assets have come together, they and their records are committed.
    static let pageBytes: Int64 = 64 << 20

    /// Makes the pass.
    mutating func run() async throws {
        let last = try await source.lastSequenceNumber()
        var note: CopyNote
        if let known = self.note, known.isReady, known.copiedNumber == last, known.pass == nil {
            note = known
        } else {
            note = try await begin(last)
            if meter.isWatched { try await expect() }
            let zones = try await source.zones(for: nil).sorted { $0.rank < $1.rank }
            // The rest of a pass that was interrupted, then what has changed since that one began.
            while true {
                try await copy(zones, &note)
                if note.copiedNumber == last { break }
                note.pass = CopyNote.Pass(number: last, zone: .min, place: 0)
            }
        }
        self.note = note
        try await copySchema(note)
        try await copySubscriptions(note)
    }

    /// Throws if the task was cancelled.
    func checkCancellation() throws {
        if Task.isCancelled {
            throw CabinetError(
                .operationCancelled,
                "The task was cancelled while \(database) was copied. Start the copy again, and it goes on where it was."
            )
        }
    }

    /// Counts what there is to copy, for those who want to know how far it is.
    private func expect() async throws {
        @Sendable func content(
            of snapshot: any StorageSnapshot
        ) async throws -> (records: Int, assets: Int, bytes: Int64) {
            var result = (records: 0, assets: 0, bytes: Int64(0))
            for type in try await snapshot.schema().recordTypes.keys {
                result.records += try await snapshot.count(ofType: type)
            }
            var last: Asset.Checksum?
            while true {
                let page = try await snapshot.assets(after: last, limit: 1000)
                result.assets += page.count
                result.bytes += page.reduce(0) { $0 + $1.size }
                guard page.count == 1000 else { return result }
                last = page.last?.checksum
            }
        }
        let all = try await content(of: source)
        let copied = try await target.read(database) { try await content(of: $0) }
        meter.advance { progress in
            (progress.totalRecords, progress.totalAssets, progress.totalBytes) = all
            (progress.completedRecords, progress.completedAssets, progress.completedBytes) = copied
        }
    }

    /// Prepares the target: its numbers, its schema, its zones.
    private func begin(_ last: Int64) async throws -> CopyNote {
        let zones = try await source.zones(for: nil)
        let schema = try await source.schema()
        let sourceBeginning = try await source.beginning()
        let (note, counts) = try await target.write(database) { [database, known = note] transaction in
            try await known?.check(in: transaction)
            if known == nil, let content = try await CopyGuard.content(of: transaction) {
                throw CopyGuard.refusal(database, "its \(content)")
            }
            var note: CopyNote
            if let known, !known.isReady, last <= known.recordLimit {
                note = known
            } else {
                let numbers = try CopyNumbers(above: max(last, try await transaction.lastSequenceNumber()))
                try await transaction.reserveSequenceNumbers(upTo: numbers.recordLimit)
                // Until the copy is complete, no number reaches the beginning: so the target gives out no changes.
                try await transaction.add([
                    StoredZone(
                        zoneID: .default, creatorName: "", creationNumber: numbers.beginning,
                        changeNumber: numbers.beginning)
                ])
                note =
                    known
                    ?? CopyNote(
                        sourceBeginning: sourceBeginning, beginning: numbers.beginning,
                        recordLimit: numbers.recordLimit)
                (note.beginning, note.recordLimit, note.isReady) = (numbers.beginning, numbers.recordLimit, false)
            }
            if note.pass == nil { note.pass = CopyNote.Pass(number: last, zone: .min, place: 0) }
            try await schema.extend(transaction)
            let counts = try await Self.adjust(zones, in: transaction)
            try await note.write(to: transaction)
            return (note, counts)
        }
        meter.count(counts)
        return note
    }

    /// Makes the target's zones those of the source.
    private static func adjust(
        _ zones: [StoredZone], in transaction: any StorageTransaction
    ) async throws -> CopyCounts {
        var counts = CopyCounts()
        var known: [RecordZone.ID: StoredZone] = [:]
        for zone in try await transaction.zones(for: nil) where zone.zoneID != .default { known[zone.zoneID] = zone }
        var added: [StoredZone] = []
        var changed: [StoredZone] = []
        for zone in zones where zone.zoneID != .default {
            if let copy = known[zone.zoneID], copy.creationNumber == zone.creationNumber {
                known[zone.zoneID] = nil
                if copy.changeNumber != zone.changeNumber { changed.append(zone) }
            } else {
                added.append(
                    StoredZone(
                        zoneID: zone.zoneID, creatorName: zone.creatorName, creationNumber: zone.creationNumber,
                        changeNumber: zone.changeNumber))
            }
        }
        // What is left is gone in the source, or was made anew there.
        if !known.isEmpty {
            let number = try await transaction.reserveSequenceNumbers(1)
            try await transaction.removeZones(Array(known.keys), sequenceNumber: number)
            if try await !transaction.schema().assetKeys.isEmpty {
                try await AssetRule.removeAllUnused(in: transaction)
            }
        }
        if !added.isEmpty { try await transaction.add(added) }
        for zone in changed { try await transaction.markZones([zone.zoneID], sequenceNumber: zone.changeNumber) }
        counts.changedZones = known.count + added.count
        return counts
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
    /// Adds the types and fields to a database that it does not have.
    func extend(_ transaction: any StorageTransaction) async throws {
        let known = try await transaction.schema().recordTypes
        for (recordType, fields) in recordTypes.sorted(by: { $0.key < $1.key }) {
            let new = fields.filter { known[recordType]?[$0.key] == nil }
                .map { StoredField(name: $0, type: $1) }
                .sorted { $0.name < $1.name }
            if known[recordType] == nil || !new.isEmpty { try await transaction.add(new, to: recordType) }
        }
    }
}
