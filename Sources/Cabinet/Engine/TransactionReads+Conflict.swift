extension TransactionReads {
    /// Returns the error of a read that the database would answer differently now.
    ///
    /// If the database has not changed since the reads, nothing is loaded.
    ///
    /// - Parameters:
    ///   - end: The end of the change feed.
    ///   - permissions: The permissions of the user that has read.
    ///   - schema: The schema of the database.
    ///   - stored: The stored records of the reads; `nil` to load them.
    ///   - meter: The meter of the request.
    ///   - snapshot: The view of the database.
    func conflict(
        at end: TimelinePoint, _ permissions: PermissionRule, _ schema: StoredSchema,
        _ stored: [RecordID: StoredRecord]? = nil, _ meter: WorkMeter? = .current, in snapshot: any StorageSnapshot
    ) async throws -> CabinetError? {
        for zoneID in zoneIDs where !permissions.canRead(zoneID) { return ZoneRule.notFound(zoneID, in: .shared) }
        guard count > 0, self.end != end else { return nil }
        let rule = ReadRule(permissions: permissions, schema: schema, meter: meter)
        let found = if let stored { stored } else { try await load(from: snapshot) }
        for read in records {
            if let violation = rule.violation(of: read, stored: found[read.recordID]) { return violation }
        }
        guard let first = queries.first else { return nil }
        let known = DatabaseVersion(end: self.end ?? TimelinePoint(number: 0), schema: schema)
        let set = try await ChangeSet.read(after: known, in: snapshot)
        // Too many changes to judge, or forgotten deletions: the query runs again.
        guard set.isComplete else { return ReadRule.changedQuery(first.query) }
        let removed = Set(set.removedZones.keys)
        for read in queries {
            if let violation = try rule.violation(of: read, changes: set.changes, removedZones: removed) {
                return violation
            }
        }
        return nil
    }

    private func load(from snapshot: any StorageSnapshot) async throws -> [RecordID: StoredRecord] {
        var found: [RecordID: StoredRecord] = [:]
        for case let record? in try await snapshot.load(StorageKeys(records: records.map(\.recordID))).records {
            found[record.recordID] = record
        }
        return found
    }
}

extension LocalRequestHandler {
    /// Throws if the reads of a transaction cannot be those of requests, or are too many.
    func check(_ reads: TransactionReads?, in scope: DatabaseScope) throws {
        guard let reads else { return }
        if reads.count > TransactionReads.maximumCount { throw TransactionReads.excess }
        for read in reads.records {
            let id = read.recordID
            if let violation = NameRule.targetRecordName.violation(in: id.recordName, recordID: id) { throw violation }
        }
        for read in reads.queries { try check(read.query, reading: nil, zoneID: read.zoneID, scope: scope) }
    }
}
