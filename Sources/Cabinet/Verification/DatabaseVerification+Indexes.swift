/// Indexes: whether queries that they serve find what is there.
extension DatabaseVerification {
    func checkIndexes(_ tally: IndexTally, isComplete: Bool) async throws {
        counts.indexes += schema.indexes[tally.type]?.count ?? 0
        guard isComplete, tally.isComplete else { return }
        for order in tally.orders { try await check(order, of: tally.type) }
        for place in tally.places { try await check(place, of: tally.type) }
        for (index, recordID, filter) in tally.samples {
            var plan = plan(of: tally.type, in: recordID.zoneID)
            plan.filter = filter && .hasID(recordID)
            do {
                let count = try await snapshot.count(matching: plan)
                if count != 1 {
                    add(
                        index, of: tally.type, "The query '\(filter)' does not find a record that it matches.", recordID
                    )
                }
            } catch {
                try add(index, of: tally.type, failure: error, recordID)
            }
        }
    }

    /// Goes through all records in the order of an index.
    private func check(_ order: IndexTally.Order, of type: Record.RecordType) async throws {
        var plan = plan(of: type, in: nil)
        plan.order = order.keys.map { Sort($0) }
        plan.keys = plan.keysToFetch(for: [])
        plan.limit = 4 * Self.pageSize
        var values = Fingerprint()
        var places = RecordOrder(plan.order)
        var last: RecordOrder.Place?
        var isSorted = true
        let names = order.keys.joined(separator: ", ")
        do {
            while true {
                let page = try await snapshot.records(matching: plan)
                for record in page {
                    values.add(IndexEntry(record, order.keys))
                    let place = try places.place(of: record, resolving: CompiledFilter.noResolver)
                    if let last, places.compare(last, to: place) != .before { isSorted = false }
                    last = place
                }
                try pause()
                guard page.count == plan.limit, isSorted, values.count <= order.values.count, let end = page.last else {
                    break
                }
                plan.position = try plan.position(after: end)
            }
        } catch {
            return try add(order.index, of: type, failure: error)
        }
        if !isSorted {
            add(order.index, of: type, "Sorted by \(names), the records are in no order.")
        } else if values != order.values {
            let problem =
                values.count == order.values.count
                ? "some are not those that are there, or have other values"
                : "\(values.count) are found, and there are \(order.values.count)"
            add(order.index, of: type, "Of the records sorted by \(names), \(problem).")
        }
    }

    /// Counts the places of an index.
    private func check(_ place: (key: Record.FieldKey, count: Int), of type: Record.RecordType) async throws {
        var plan = plan(of: type, in: nil)
        plan.filter = .isNear(IndexTally.origin, key: place.key, metres: IndexTally.everywhere)
        do {
            let count = try await snapshot.count(matching: plan)
            if count == place.count { return }
            add(
                .queryable(place.key), of: type,
                "By their places in '\(place.key)', \(count) records are found, and \(place.count) have one.")
        } catch {
            try add(.queryable(place.key), of: type, failure: error)
        }
    }

    private func add(_ index: StoredIndex, of type: Record.RecordType, failure: any Error, _ id: RecordID? = nil) throws
    {
        try StoreVerifier.rethrowInterruption(failure)
        add(index, of: type, "A query that it serves fails. \(failure.sentence)", id)
    }

    private func add(_ index: StoredIndex, of type: Record.RecordType, _ message: String, _ id: RecordID? = nil) {
        log.add(
            StoredDamage(.index, message, recordType: type, recordID: id, index: index, isRepairable: true))
    }
}
