import Cabinet

/// What a connection knows of the write transaction under way.
struct WriteState {
    /// Where records are that were read or updated in this transaction.
    var locations: [RecordID: RecordLocation] = [:]

    /// The highest sequence number that is in use; `nil` if it was not asked for yet.
    var lastSequenceNumber: Int64?

    /// Whether deletions are remembered; `nil` if that was not asked yet.
    var hasDeletions: Bool?

    /// The folders with new files of assets, which must be durable before the transaction is.
    var changedFolders: Set<String> = []

    /// Whether assets were removed, so that files are to be given back once the transaction is durable.
    var hasAbandonedAssets = false

    /// Whether the highest number is still to be written to the file.
    var hasReservedNumbers = false

    /// The number with which this transaction begins a timeline; `nil` if it begins none.
    var timelineStart: Int64?

    /// Whether the timeline was written to the file.
    var hasStoredTimeline = false

    /// The zones that were marked, by their numbers, and what with: written down once for all writes of the transaction.
    var zoneMarks: [Int64: Int64] = [:]

    /// Notes where records are that were read.
    mutating func note(_ found: [RecordLocation]) {
        if found.isEmpty { return }
        locations.reserveCapacity(locations.count + found.count)
        for location in found {
            if let id = location.stored?.recordID { locations[id] = location }
        }
    }
}

extension Connection {
    /// Reserves consecutive sequence numbers.
    ///
    /// - Returns: The first of them.
    func reserveSequenceNumbers(_ count: Int) throws -> Int64 {
        let last = try writeState.lastSequenceNumber ?? storedSequenceNumber()
        let (end, overflow) = last.addingReportingOverflow(Int64(max(count, 1)))
        // One is left, so that nobody who counts beyond the last number gets into trouble.
        guard !overflow, end < .max else {
            throw CabinetError(
                .limitExceeded,
                "The store's file \(path) has used all sequence numbers. Copy its records into a new store.")
        }
        beginTimeline(at: last + 1)
        writeState.lastSequenceNumber = end
        writeState.hasReservedNumbers = true
        return last + 1
    }

    /// Writes down which numbers were reserved and which zones were marked; done before anybody reads it, and before the
    /// commit.
    func storeNumbers() throws {
        try storeTimeline()
        // Nearly always both are in one row.
        let last = writeState.hasReservedNumbers && !catalog.isEmptyFile ? writeState.lastSequenceNumber : nil
        let mark = writeState.zoneMarks.removeValue(forKey: Layout.defaultZone)
        if last != nil || mark != nil {
            let update = try statements.statement(
                """
                UPDATE cabinet_zone_state SET change = coalesce(?, change), last = coalesce(?, last) \
                WHERE zone = \(Layout.defaultZone)
                """)
            try update.bind(mark, at: 1)
            try update.bind(last, at: 2)
            try update.run()
            writeState.hasReservedNumbers = false
        }
        guard !writeState.zoneMarks.isEmpty else { return }
        let update = try statements.statement("UPDATE cabinet_zone_state SET change = ? WHERE zone = ?")
        for (zone, number) in writeState.zoneMarks {
            try update.bind(number, at: 1)
            try update.bind(zone, at: 2)
            try update.run()
        }
        writeState.zoneMarks = [:]
    }

    func storedSequenceNumber() throws -> Int64 {
        // A number that was used before would be the change tag of another version: no conflict would be seen.
        let table = catalog.sequenceTable
        let sql = "SELECT last FROM \(table) WHERE typeof(last) = 'integer' AND last >= 0"
        guard let last = try number(catalog.layout < 4 ? sql : "\(sql) AND zone = \(Layout.defaultZone)") else {
            throw SQLiteFailure.damaged(path: path, "\(table) does not hold the number that was used last")
        }
        return last
    }
}
