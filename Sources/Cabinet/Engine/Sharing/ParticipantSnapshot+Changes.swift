extension ParticipantSnapshot {
    /// Reads the first changes that the participant sees: of records of the shares, and of records that have entered or left them.
    ///
    /// A record that the participant does not see now is reported as deleted, if a share of the participant covered it.
    func visibleChanges(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [NumberedChange] {
        let access = try await access(to: [zoneID])
        guard access.canRead(zoneID) else { return [] }
        guard let shareNames = access.shareNames(in: zoneID) else {
            return try await base.numberedChanges(in: zoneID, after: number, limit: limit, of: content)
        }
        var found: [NumberedChange] = []
        var start = number
        // A page of the zone may have few changes that the participant sees. The limit is often very large.
        let pageSize = min(max(limit, Self.minimumPageSize), Self.maximumPageSize)
        while found.count < limit {
            let page = try await page(in: zoneID, shareNames, after: start, limit: pageSize, of: content)
            found += page.changes
            guard let end = page.end else { break }
            start = end
        }
        return Array(found.prefix(limit))
    }

    private static let minimumPageSize = 100
    private static let maximumPageSize = 1_000

    /// Reads the changes of a stretch of the feed.
    ///
    /// - Returns: The changes that the participant sees, and the number after which the feed goes on; `nil` at its end.
    private func page(
        in zoneID: RecordZone.ID, _ shareNames: Set<String>, after start: Int64, limit: Int, of content: ChangeContent
    ) async throws -> (changes: [NumberedChange], end: Int64?) {
        var fields: [Record.FieldKey]? = []
        var shown = content
        if case .all(let keys) = content {
            fields = keys.map { $0.adding([StoredRecord.shareKey]) }
            shown = .all(fields: fields)
        }
        let changes = try await base.changes(in: zoneID, after: start, limit: limit, of: shown)
        let moves = try await base.moves(in: zoneID, after: start, limit: limit)
        let ends = [
            changes.count == limit ? changes.last?.sequenceNumber : nil,
            moves.count == limit ? moves.last?.number : nil,
        ].compactMap(\.self)
        let end = ends.min()
        func isShown(_ number: Int64) -> Bool { end.map { number <= $0 } ?? true }

        var found: [NumberedChange] = []
        for case .saved(let record) in changes where isShown(record.sequenceNumber) {
            guard let name = record.shareName, shareNames.contains(name) else { continue }
            found.append(NumberedChange(number: record.sequenceNumber, change: .saved(record)))
        }
        let own = moves.filter { move in
            isShown(move.number) && [move.from, move.to].contains { $0.map(shareNames.contains) ?? false }
        }
        if own.isEmpty { return (found, end) }
        let ids = own.map { RecordID(recordName: $0.recordName, zoneID: zoneID) }
        let records = try await self.records(for: ids, keys: fields)
        // A rename does not rewrite the moves, unlike deletions.
        let rules = records.contains { $0 == nil } ? try await base.schemaRules() : SchemaRules()
        // The last move of a record says what the earlier ones do.
        var last: [RecordID: NumberedChange] = [:]
        for (move, (id, record)) in zip(own, zip(ids, records)) {
            if let record {
                // A later change of the record reports it by itself.
                if record.sequenceNumber > start, isShown(record.sequenceNumber) { continue }
                if record.sequenceNumber > move.number { continue }
                last[id] = NumberedChange(number: move.number, change: .saved(record))
            } else if move.from.map(shareNames.contains) ?? false {
                let recordType = rules.types[move.recordType]?.newName ?? move.recordType
                let deletion = StoredDeletion(
                    recordID: id, recordType: recordType, sequenceNumber: move.number, date: move.date)
                last[id] = NumberedChange(number: move.number, change: .deleted(deletion))
            }
        }
        found += last.values
        return (found.sorted { $0.number < $1.number }, end)
    }
}
