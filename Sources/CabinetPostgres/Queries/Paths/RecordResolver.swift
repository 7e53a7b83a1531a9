import Cabinet

/// Gets the records that references lead to, for what the evaluator decides: those of many records at once.
///
/// Many records refer to the same few; those are fetched once.
final class RecordResolver {
    private let view: TransactionContext
    private var known: [RecordID: StoredRecord?] = [:]

    /// The most records to remember from one call to the next.
    static let limit = 4096
    /// The number of records that are remembered, for tests.
    var count: Int { known.count }

    init(_ view: TransactionContext) {
        self.view = view
    }

    /// Runs a closure, which asks for records by ID, until all that it asks for have been fetched.
    ///
    /// The closure is run once more for each step of the longest key path. Records that were not fetched yet are nil meanwhile.
    func resolving<Output>(_ body: (CompiledFilter.Resolver) throws -> Output) throws -> Output {
        if known.count >= Self.limit { known = [:] }
        while true {
            var missing: Set<RecordID> = []
            let output = try body { [self] id in
                if let record = known[id] { return record }
                missing.insert(id)
                return nil
            }
            if missing.isEmpty { return output }
            let ids = Array(missing)
            for (id, record) in zip(ids, try view.records(for: ids, keys: nil)) {
                known.updateValue(record, forKey: id)
            }
        }
    }
}
