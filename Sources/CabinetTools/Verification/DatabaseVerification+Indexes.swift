import Cabinet

/// Checks indexes: that the queries that they serve find the records that a scan finds.
extension DatabaseVerification {
    func checkIndexes(_ indexes: IndexChecker, isComplete: Bool) async throws {
        counts.indexes += schema.indexes[indexes.type]?.count ?? 0
        guard isComplete, indexes.isComplete else { return }
        for order in indexes.orders { try await check(order, of: indexes.type) }
        for location in indexes.locations { try await check(location, of: indexes.type) }
        for (index, recordID, filter) in indexes.samples {
            do {
                let plan = try plan(of: indexes.type, in: recordID.zoneID, filter: filter && .hasID(recordID))
                let count = try await snapshot.count(matching: plan)
                if count != 1 {
                    add(
                        index, of: indexes.type, "The query '\(filter)' does not find a record that it matches.",
                        recordID
                    )
                }
            } catch {
                try add(index, of: indexes.type, failure: error, recordID)
            }
        }
    }

    /// Reads all records in the order of an index.
    private func check(_ order: IndexChecker.Order, of type: Record.RecordType) async throws {
        var values = Fingerprint()
        var last: StoredRecord?
        var isSorted = true
        let names = order.keys.joined(separator: ", ")
        do {
            var plan = try plan(
                of: type, in: nil, order: order.keys.map { Sort($0) }, limit: 4 * Self.pageSize,
                keys: order.keys.filter { SystemField(rawValue: $0) == nil })
            while true {
                let page = try await snapshot.records(matching: plan)
                for record in page { values.add(IndexEntry(record, order.keys)) }
                isSorted = try plan.isSorted([last].compactMap(\.self) + page)
                last = page.last
                try pause()
                guard page.count == plan.limit, isSorted, values.count <= order.values.count, let end = page.last else {
                    break
                }
                plan = try plan.continued(after: end)
            }
        } catch {
            return try add(order.index, of: type, failure: error)
        }
        if !isSorted {
            add(order.index, of: type, "Sorted by \(names), the records are not in order.")
        } else if values != order.values {
            let problem =
                values.count == order.values.count
                ? "some of them are missing, or have other values"
                : "\(values.count) are found, but \(order.values.count) exist"
            add(order.index, of: type, "Of the records sorted by \(names), \(problem).")
        }
    }

    /// Counts the locations of an index.
    private func check(_ location: (key: Record.FieldKey, count: Int), of type: Record.RecordType) async throws {
        let filter = Filter.isNear(IndexChecker.origin, key: location.key, metres: IndexChecker.everywhere)
        do {
            let plan = try plan(of: type, in: nil, filter: filter)
            let count = try await snapshot.count(matching: plan)
            if count == location.count { return }
            add(
                .queryable(location.key), of: type,
                "By their locations in '\(location.key)', \(count.counted("record is", "records are")) found; expected \(location.count)."
            )
        } catch {
            try add(.queryable(location.key), of: type, failure: error)
        }
    }

    private func add(_ index: StoredIndex, of type: Record.RecordType, failure: any Error, _ id: RecordID? = nil) throws
    {
        try StoreVerifier.rethrowInterruption(failure)
        add(index, of: type, "A query that the index serves fails. \(failure.sentence)", id)
    }

    private func add(_ index: StoredIndex, of type: Record.RecordType, _ message: String, _ id: RecordID? = nil) {
        collector.add(
            IntegrityIssue(.index, message, recordType: type, recordID: id, index: index, isRepairable: true))
    }
}

extension QueryPlan {
    /// Whether records are in the plan's order.
    fileprivate func isSorted(_ records: [StoredRecord]) throws -> Bool {
        let plan = try QueryPlan(
            recordType: recordType, filter: .constant(true), order: order, limit: max(records.count, 1), fields: fields)
        return try plan.page(of: records).map(\.recordID) == records.map(\.recordID)
    }
}
