/// Checks of what saves derive from shares and parents, for verifications.
extension StorageSnapshot {
    /// Checks whether records have the shares that cover them.
    ///
    /// - Parameters:
    ///   - records: Records with all their fields.
    ///   - schema: The schema of the database.
    /// - Complexity: one fetch by ID of the parents, roots and shares.
    package func sharingIssues(
        of records: [StoredRecord], schema: StoredSchema
    ) async throws -> [IntegrityIssue] {
        guard schema.hasHierarchies else { return [] }
        let related = Set(records.flatMap { [$0.parent?.recordID, $0.sharedRoot, $0.ownShareID].compactMap(\.self) })
        let ids = Array(related)
        let keys = [StoredRecord.shareKey, Share.SystemFieldKey.rootRecord]
        var found: [RecordID: StoredRecord] = [:]
        for (id, record) in zip(ids, try await self.records(for: ids, keys: keys)) { found[id] = record }
        return records.compactMap { record in
            guard let message = record.sharingIssue(found) else { return nil }
            return IntegrityIssue(.share, message, recordType: record.recordType, recordID: record.recordID)
        }
    }

    /// Returns the mutations after which each participant of a share is found by name, and no other user is.
    package func mutationsRepairingParticipations(schema: StoredSchema) async throws -> [StorageMutation] {
        guard schema.recordTypes[Share.recordType] != nil else { return [] }
        var stored: [StorageKey: String] = [:]
        for entry in try await allEntries(in: ParticipationEntry.allKeys) where ParticipationEntry.isKey(entry.key) {
            stored[entry.key] = entry.text
        }
        var mutations: [StorageMutation] = []
        var plan = try QueryPlan(
            recordType: Share.recordType, filter: .constant(true), limit: 200, keys: nil,
            fields: FieldTypes(of: Share.recordType, in: schema))
        while true {
            let page = try await records(matching: plan)
            for share in page {
                let expected = ParticipationEntry.mutations(
                    for: try ShareContent(share), replacing: nil, share.recordID)
                for case .setEntry(let key, let text) in expected where stored.removeValue(forKey: key) != text {
                    mutations.append(.setEntry(key, text))
                }
            }
            guard page.count == plan.limit, let last = page.last else { break }
            plan = try plan.continued(after: last)
        }
        return mutations + stored.keys.sorted().map { .setEntry($0, nil) }
    }
}

extension StoredRecord {
    /// The share whose root the record is.
    fileprivate var ownShareID: RecordID? {
        ownShareName.map { RecordID(recordName: $0, zoneID: recordID.zoneID) }
    }

    /// Describes the share that the record should have; `nil` if it has that one.
    ///
    /// - Parameter related: The record's parent, root and share, as far as they exist.
    fileprivate func sharingIssue(_ related: [RecordID: StoredRecord]) -> String? {
        if ShareRule.isShare(recordType) {
            guard let root = sharedRoot else { return nil }
            let name = recordID.recordName
            if let record = related[root], record.ownShareName == name, shareName == name { return nil }
            return
                "The share covers '\(root.recordName)', and this record is not marked as its root. Delete the share, and share "
                + "the record again."
        }
        if let id = ownShareID {
            if related[id]?.sharedRoot == recordID { return nil }
            return
                "The record is marked as the root of '\(id.recordName)', which does not share it. Share the record, and stop "
                + "sharing it, to remove the mark."
        }
        let expected = parent.flatMap { related[$0.recordID]?.shareName }
        if expected == shareName { return nil }
        return
            "The record is covered by \(shareName ?? "no share"), and its parent by \(expected ?? "none"). Save the record "
            + "without its parent, and with it again."
    }
}
