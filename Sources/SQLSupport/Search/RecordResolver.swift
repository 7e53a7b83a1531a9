package import Cabinet

/// Gets the records that references lead to, for the part of a filter or an order that the evaluator computes.
///
/// Many records refer to the same few, which are fetched once.
package final class RecordResolver {
    private let fetch: ([RecordID]) throws -> [StoredRecord?]
    private var known: [RecordID: StoredRecord?] = [:]

    /// The most records that are kept from one call to the next.
    package static let limit = 4096
    /// The number of records that are kept, for tests.
    package var count: Int { known.count }

    /// - Parameter fetch: Returns the stored records with the given IDs, in their order.
    package init(_ fetch: @escaping ([RecordID]) throws -> [StoredRecord?]) {
        self.fetch = fetch
    }

    /// The record with an ID; `nil` if none is stored.
    package func record(_ id: RecordID) throws -> StoredRecord? {
        if let record = known[id] { return record }
        forgetIfFull()
        try add([id])
        return known[id] ?? nil
    }

    /// Runs a closure until all records that it asks for by ID have been fetched, many at a time.
    ///
    /// The closure runs once more for each step of the longest key path. Until a record has been fetched, it is nil.
    package func resolving<Output>(_ body: (CompiledFilter.Resolver) throws -> Output) throws -> Output {
        forgetIfFull()
        while true {
            var missing: Set<RecordID> = []
            let output = try body { [self] id in
                if let record = known[id] { return record }
                missing.insert(id)
                return nil
            }
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
