extension LiveResult: LiveState {
    /// The records that the observer receives: all, or the first ones.
    var value: [Record] { shown.map { Record($0) } }

    /// The stored records that the observer receives.
    private var shown: ArraySlice<StoredRecord> { limit.map { records.prefix($0) } ?? records[...] }

    mutating func merge(_ response: FetchLiveChangesRequest.Response) throws -> MergeOutcome {
        guard let changes = LiveChanges(response, since: basis, zoneID: plan.zoneID) else { return .stale }
        basis = changes.basis
        if changes.isEmpty { return .unchanged }
        let old = limit == nil ? nil : shown
        var isChanged = false
        if !changes.removedZones.isEmpty { isChanged = removeAll { changes.removedZones.contains($0) } }
        if try apply(changes.records) { isChanged = true }
        if let old, isChanged {
            try dropSurplus()
            isChanged = shown != old
        }
        return isChanged ? .changed : .unchanged
    }
}

/// The first records of a query.
extension LiveResult {
    /// The position after which records are missing, and the number to read; `nil` if the first records are complete.
    ///
    /// More records are read than are missing, so that not each deletion is followed by a read.
    var gap: (position: QueryPosition, count: Int)? {
        guard let limit, let end, records.count < limit else { return nil }
        return (end, capacity(limit) - records.count)
    }

    /// Appends the records that follow the end of the result, of the same state of the database.
    ///
    /// - Returns: Whether the records can be merged with changes.
    mutating func append(_ rest: QueryRecordsRequest.Response) throws -> Bool {
        let stored = rest.records.compactMap(\.unchanged)
        guard stored.count == rest.records.count else { return false }
        add(stored)
        try setEnd(rest.position)
        return true
    }

    /// Drops the last records if the result has more than it needs.
    private mutating func dropSurplus() throws {
        guard let limit, records.count > capacity(limit), limit > 0 else { return }
        removeLast(records.count - limit)
        try setEnd(try plan.position(after: records[limit - 1]))
    }

    /// The maximum number of records to hold.
    private func capacity(_ limit: Int) -> Int { limit > .max / 2 ? .max : 2 * limit }
}
