package import Cabinet

/// Fetches the records that references point to, for the evaluator.
///
/// Many records point to the same few, which are fetched once.
package final class RecordResolver {
    private let fetch: ([RecordID]) throws -> [StoredRecord?]
    private let count: (ReferringRecords) throws -> Int
    private var known: [RecordID: StoredRecord?] = [:]

    /// The largest number of records that are cached between calls.
    package static let limit = 4096
    /// The number of cached records, for tests.
    package var knownCount: Int { known.count }

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - fetch: Returns the stored records with the given IDs, in the order of the IDs.
    ///   - count: Returns the number of the records that refer to a record.
    package init(
        _ fetch: @escaping ([RecordID]) throws -> [StoredRecord?],
        counting count: @escaping (ReferringRecords) throws -> Int
    ) {
        self.fetch = fetch
        self.count = count
    }

    /// The resolver that fetches each record, and counts, when it is asked.
    package var single: CompiledFilter.Resolver { CompiledFilter.Resolver(record, counting: count) }

    /// Returns the record with an ID; `nil` if it is not stored.
    package func record(_ id: RecordID) throws -> StoredRecord? {
        if let record = known[id] { return record }
        forgetIfFull()
        try add([id])
        return known[id] ?? nil
    }

    /// Runs a closure repeatedly until all records that it requests by ID have been fetched, in batches.
    ///
    /// The closure runs once more for each step of the longest key path. A record that has not been fetched yet is nil.
    package func resolving<Output>(_ body: (CompiledFilter.Resolver) throws -> Output) throws -> Output {
        forgetIfFull()
        while true {
            var missing: Set<RecordID> = []
            let output = try body(
                CompiledFilter.Resolver(
                    { [self] id in
                        if let record = known[id] { return record }
                        missing.insert(id)
                        return nil
                    }, counting: count))
            if missing.isEmpty { return output }
            try add(Array(missing))
        }
    }

    private func forgetIfFull() {
        if known.count >= Self.limit { known = [:] }
    }

    private func add(_ ids: [RecordID]) throws {
        for (id, record) in zip(ids, try fetch(ids)) { known.updateValue(record, forKey: id) }
    }
}
