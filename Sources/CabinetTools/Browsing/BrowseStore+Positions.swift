import Cabinet

/// Positions near the end of a query's records or of a zone's changes, found without reading everything before them.
extension BrowseStore {
    /// Returns the position before the last rows of a selection.
    ///
    /// No store reads a query's order backwards. Insertion numbers decide between rows that the sort keys leave equal, so the row
    /// is searched among these numbers: in twice as many with each step, and then by bisection.
    ///
    /// - Parameters:
    ///   - selection: The query.
    ///   - count: The number of rows after the position; at least 1.
    /// - Returns: The position; `nil` for the beginning, or if there are fewer rows.
    /// - Complexity: O(*count* log *n*) if an index finds the rows.
    func position(of selection: RecordSelection, rowsToEnd count: Int) async throws -> Query.Cursor? {
        guard let group = try await lastGroup(of: selection, rows: count) else { return nil }
        let end = try await lastSequenceNumber()
        // Fewer rows follow the upper number, and too many the lower one, once it is known.
        var (lower, upper): (Int64?, Int64) = (nil, end)
        var distance = Int64(count)
        while true {
            let number = lower.map { $0 + (upper - $0) / 2 } ?? max(0, end - distance)
            let start = group.moved(toInsertionNumber: number)
            let page = try await rows(after: start, limit: count * 4)
            if page.queryCursor != nil, upper - number > 1 {
                lower = number
            } else if page.matchResults.count < count {
                if number == 0 { return nil }
                upper = number
                distance = min(distance, .max / 2) * 2
            } else {
                let rest = page.matchResults.count - count
                return rest == 0 ? start : try await rows(after: start, limit: rest).queryCursor
            }
        }
    }

    /// Returns a position among the rows with the same sort keys as the first of the last rows; `nil` if there are fewer rows.
    private func lastGroup(of selection: RecordSelection, rows count: Int) async throws -> Query.Cursor? {
        var reversed = selection.query
        reversed.sortDescriptors = reversed.sortDescriptors.map(\.reversed)
        let limit = reversed.sortDescriptors.isEmpty ? 1 : count
        let cursor = try await database.records(
            matching: reversed, inZoneWith: selection.zoneID, desiredKeys: [], resultsLimit: limit
        ).queryCursor
        return cursor?.moved(toInsertionNumber: 0, of: selection.query)
    }

    private func rows(
        after cursor: Query.Cursor, limit: Int
    ) async throws -> (matchResults: [(RecordID, Result<Record, CabinetError>)], queryCursor: Query.Cursor?) {
        try Task.checkCancellation()
        return try await database.records(continuingMatchFrom: cursor, desiredKeys: [], resultsLimit: limit)
    }

    private func lastSequenceNumber() async throws -> Int64 {
        try await database.databaseChanges(since: nil, resultsLimit: 1).changeToken.lastSequenceNumber
    }
}

extension Sort {
    /// The key in the opposite direction.
    fileprivate var reversed: Sort {
        if let origin { return Sort(key, distanceFrom: origin, ascending: !ascending) }
        return Sort(key, ascending: !ascending, options: options)
    }
}
