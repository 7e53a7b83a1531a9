import Cabinet

/// An index of a store with ordered keys, here in a sorted array.
struct OrderedIndex {
    let sorts: [Sort]
    private var entries: [(key: OrderedBytes, record: StoredRecord)]

    init(_ sorts: [Sort], of records: [StoredRecord]) {
        self.sorts = sorts
        entries = []
        entries = records.map { (key(of: $0), $0) }.sorted { $0.key < $1.key }
    }

    // snippet: key
    /// The key of a record in the index.
    func key(of record: StoredRecord) -> OrderedBytes {
        var key = OrderedBytes()
        for sort in sorts {
            key.append(
                record.value(forKey: sort.key), options: sort.options,
                ascending: sort.ascending)
        }
        key.append(record.insertionNumber)
        return key
    }
    // end

    // snippet: page
    /// Whether the index has the order of a plan, or its beginning.
    ///
    /// Sorts differ if their directions, options or distances do.
    func serves(_ plan: QueryPlan) -> Bool { plan.order.starts(with: sorts) }

    /// A page of a plan that the index serves.
    func page(of plan: QueryPlan) throws -> [StoredRecord] {
        var start = OrderedBytes()
        for (sort, value) in zip(sorts, plan.position?.values ?? []) {
            start.append(
                value, options: sort.options, ascending: sort.ascending)
        }
        var cursor = records(from: start.bytes, to: nil).makeIterator()
        return try plan.page(sortedKeyCount: sorts.count) {
            try cursor.next()?.get()
        }
    }
    // end

    // snippet: search
    /// Each record, or the error that occurred while it was read.
    typealias Results = any Sequence<Result<StoredRecord, any Error>>

    /// The records that a filter can match by the index's first field.
    ///
    /// It is `nil` if the filter allows any value in that field.
    func candidates(for filter: Filter) -> [Results]? {
        let constraint = filter.constraint(on: sorts[0].key)
        if let values = constraint.values {
            // 1 and 1.0 have the same key, whose records are read once.
            let keys = values.map { value in
                var key = OrderedBytes()
                key.append(value)
                return key
            }
            return Set(keys).map { records(from: $0.bytes, to: $0.end) }
        }
        guard constraint.lowest != nil || constraint.highest != nil else {
            return nil
        }
        var (lowest, highest) = (OrderedBytes(), OrderedBytes())
        if let value = constraint.lowest { lowest.append(value) }
        if let value = constraint.highest { highest.append(value) }
        return [records(from: lowest.bytes, to: highest.end)]
    }
    // end

    /// The records under the keys of a range.
    func records(from start: [UInt8], to end: [UInt8]?) -> some Sequence<Result<StoredRecord, any Error>> {
        entries.lazy.filter { entry in
            !entry.key.bytes.lexicographicallyPrecedes(start)
                && end.map { entry.key.bytes.lexicographicallyPrecedes($0) } ?? true
        }.map { .success($0.record) }
    }
}
