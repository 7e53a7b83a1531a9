import Cabinet

/// Decides which targets a database may be copied into: empty ones, and results of earlier copies of the same source.
enum CopyPreflight {
    /// The size of a sample.
    ///
    /// If the source is another one, the first record already differs.
    private static let sampledZones = 8
    private static let sampledRecords = 50

    /// The error that refuses a target.
    static func refusal(_ database: DatabaseKey, _ reason: String) -> CabinetError {
        CabinetError(
            .invalidArguments,
            "\(database) cannot be copied into the target: \(reason). Copy to an empty store, or to one that holds an earlier copy "
                + "of this source that has not been written to since.")
    }

    /// Describes the content of a database, as the end of a sentence; `nil` if it is empty.
    ///
    /// Record types and fields are ignored: a program adds them as soon as it starts.
    static func content(of snapshot: any StorageSnapshot) async throws -> String? {
        let last = try await snapshot.lastSequenceNumber()
        if last > 0 { return "database has been written to, up to change \(last)" }
        for range in StorageKey.copiedRanges {
            let entries = try await snapshot.entries(in: range, limit: 1)
            if !entries.isEmpty { return "database has users of a server, URLs of shares, or keys" }
        }
        let subscriptions = try await snapshot.subscriptions(of: nil)
        return subscriptions.isEmpty ? nil : "database has \(subscriptions.count.counted("subscription"))"
    }

    /// Returns the checkpoint of an earlier copy of the source; `nil` if the target is empty.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the target has other content.
    static func checkpoint(
        in target: any StorageSnapshot, copiedFrom source: any StorageSnapshot, database: DatabaseKey
    ) async throws -> CopyCheckpoint? {
        if let checkpoint = try await CopyCheckpoint.read(from: source), !checkpoint.isReady {
            throw CabinetError(
                .invalidArguments, "\(database) cannot be copied: the source is itself an incomplete copy.")
        }
        try checkSchema(of: try await target.schema(), try await source.schema(), database)
        guard let checkpoint = try await CopyCheckpoint.read(from: target) else {
            if let content = try await content(of: target) {
                throw refusal(database, "it is not a copy, and its \(content)")
            }
            return nil
        }
        guard try await target.lastSequenceNumber() == checkpoint.lastNumber else {
            throw refusal(database, "it was written to after it was copied")
        }
        guard try await source.beginning() == checkpoint.sourceBeginning,
            try await source.lastSequenceNumber() >= max(checkpoint.copiedNumber, checkpoint.pass?.number ?? 0)
        else {
            throw refusal(database, "it is a copy of another source, or of a later state of this one")
        }
        try await checkSamples(of: checkpoint, target, source, database)
        return checkpoint
    }

    /// Refuses a target with record types or fields that differ from the source's.
    private static func checkSchema(of target: StoredSchema, _ source: StoredSchema, _ database: DatabaseKey) throws {
        for (recordType, fields) in target.recordTypes.sorted(by: { $0.key < $1.key }) {
            guard let known = source.recordTypes[recordType] else {
                throw refusal(database, "it has the record type '\(recordType)', and the source does not")
            }
            for (key, type) in fields.sorted(by: { $0.key < $1.key }) where known[key] != type {
                let other = known[key].map { "is \($0)" } ?? "is missing"
                throw refusal(
                    database, "its field '\(key)' of '\(recordType)' is \(type), and in the source it \(other)")
            }
        }
    }

    /// Compares some records that must be equal if both have the same origin.
    private static func checkSamples(
        of checkpoint: CopyCheckpoint, _ target: any StorageSnapshot, _ source: any StorageSnapshot,
        _ database: DatabaseKey
    ) async throws {
        let zones = try await source.zones(for: nil)
        for zone in zones.sorted(by: { $0.rank < $1.rank }).prefix(sampledZones) {
            let position = checkpoint.position(in: zone)
            let oldest = try await source.changes(
                in: zone.zoneID, after: 0, limit: sampledRecords, of: .all(fields: nil)
            ).compactMap(\.record).filter { $0.sequenceNumber <= position }
            let copies = try await target.records(for: oldest.map(\.recordID), keys: nil)
            for (record, copy) in zip(oldest, copies) where copy != record { throw different(record, database) }
        }
        let copied = try await target.zones(for: Set(zones.map(\.zoneID)))
        let known = Dictionary(zones.map { ($0.zoneID, $0) }, uniquingKeysWith: { first, _ in first })
        for copy in copied.sorted(by: { $0.rank < $1.rank }).prefix(sampledZones) {
            guard let zone = known[copy.zoneID], zone.rank == copy.rank else { continue }
            try await checkSamples(in: zone, after: checkpoint.position(in: zone), target, source, database)
        }
    }

    /// Finds some records of the target in the source: unchanged, in a later version, or deleted.
    private static func checkSamples(
        in zone: StoredZone, after position: Int64, _ target: any StorageSnapshot, _ source: any StorageSnapshot,
        _ database: DatabaseKey
    ) async throws {
        let copies = try await target.changes(
            in: zone.zoneID, after: 0, limit: sampledRecords, of: .all(fields: nil)
        ).compactMap(\.record)
        let records = try await source.records(for: copies.map(\.recordID), keys: nil)
        var missing: [RecordID: StoredRecord] = [:]
        for (copy, record) in zip(copies, records) {
            if let record {
                if copy != record, record.sequenceNumber <= position { throw different(copy, database) }
            } else {
                missing[copy.recordID] = copy
            }
        }
        // Without tombstones, a deleted record cannot be distinguished from one that never existed.
        if zone.expirationNumber > position { return }
        var position = position
        while !missing.isEmpty {
            let page = try await source.changes(in: zone.zoneID, after: position, limit: 1000, of: .deletions)
            for case .deleted(let deletion) in page { missing[deletion.recordID] = nil }
            guard page.count == 1000, let last = page.last?.sequenceNumber else { break }
            position = last
        }
        if let copy = missing.values.first { throw different(copy, database) }
    }

    private static func different(_ record: StoredRecord, _ database: DatabaseKey) -> CabinetError {
        var error = refusal(
            database, "it is a copy of another source, because the record '\(record.recordID)' differs")
        error.recordID = record.recordID
        return error
    }
}

extension StoredZone {
    /// The position of the zone in the order in which zones are copied.
    var rank: Int64 { zoneID == .default ? -1 : creationNumber }
}

extension CopyCheckpoint {
    /// The number up to which a zone of the source was copied.
    func position(in zone: StoredZone) -> Int64 {
        guard let pass, zone.rank <= pass.zone else { return copiedNumber }
        return max(copiedNumber, zone.rank == pass.zone ? pass.position : pass.number)
    }
}
