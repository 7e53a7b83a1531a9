extension QueryPlan {
    /// Returns the plan's page from records that the store reads one by one.
    ///
    /// A store whose reads can fail throws its error from `next`. A store with an index passes the order in which it
    /// reads, and the page ends early. It begins to read at ``position``, or before it:
    ///
    /// ```swift
    /// // The index has the first sort key, in its direction.
    /// let page = try plan.page(sortedKeyCount: 1) { try cursor.next() }
    /// ```
    ///
    /// Records with equal values of the sorted keys may come in any order: all of them are read.
    ///
    /// - Parameters:
    ///   - sortedKeyCount: The number of leading sort keys whose order the records have, each in its direction, as
    ///     ``OrderedBytes`` orders them. A number above that of the plan's sort keys means the complete order, with
    ///     equal records by insertion number.
    ///   - resolver: Returns the records that references point to. It is called only if the filter or the order has key
    ///     paths.
    ///   - next: Returns the next record with all its fields, or `nil` after the last one.
    /// - Returns: The first ``limit`` matching records after ``position``, in the plan's order, with the fields that
    ///   ``keys`` names.
    /// - Throws: The errors of `next` and of ``page(of:resolving:)``.
    /// - Complexity: O(*n* log ``limit``) in the number of records that are read: all, or those up to the end of the
    ///   page and its last value.
    public func page(
        sortedKeyCount: Int = 0, resolving resolver: CompiledFilter.Resolver = .none,
        next: () throws -> StoredRecord?
    ) throws -> [StoredRecord] {
        try metered { try meteredPage(sortedKeyCount, resolver, next) }
    }

    private func meteredPage(
        _ sortedKeyCount: Int, _ resolver: CompiledFilter.Resolver, _ next: () throws -> StoredRecord?
    ) throws -> [StoredRecord] {
        var search = PlanSearch(self)
        let meter = WorkMeter.current
        var order = recordOrder
        let comparison = order
        let start = position.map { order.place(at: $0) }
        var page = BoundedHeap<(place: RecordOrder.Place, record: StoredRecord)>(limit: limit) {
            try meter?.spend(1)
            return comparison.compare($0.place, to: $1.place) == .before
        }
        // The last position of a full page. It is stored beside the page, because it is compared with every record.
        var bound: RecordOrder.Place?
        while let record = try next() {
            guard try search.isCandidate(record) else { continue }
            if let start, try order.compare(record, to: start, resolving: resolver) != .after { continue }
            if let bound, try order.compare(record, to: bound, resolving: resolver) != .before {
                if try order.isAfter(record, bound, inFirst: sortedKeyCount, resolving: resolver) { break }
                continue
            }
            guard try search.matches(record, resolving: resolver) else { continue }
            try page.insert((try order.place(of: record, resolving: resolver), record))
            bound = page.last?.place
            if !isOrdered, bound != nil { break }
        }
        return try page.sorted().map { $0.record.trimmed(to: keys) }
    }
}
