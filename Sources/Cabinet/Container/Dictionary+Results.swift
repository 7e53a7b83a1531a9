extension Dictionary {
    /// Files results under their IDs; of an ID that was requested twice, the first result counts.
    init(_ results: Zip2Sequence<some Sequence<Key>, some Sequence<Value>>) {
        self.init(results.map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    }
}

extension [CabinetError?] {
    /// The results of deletions.
    var results: [Result<Void, CabinetError>] { map { $0.map(Result.failure) ?? .success(()) } }
}

extension Array {
    /// The result of the only requested item.
    var only: Element {
        get throws(CabinetError) {
            guard count == 1, let first else {
                throw CabinetError(.internalError, "The service gave \(count) answers for one item.")
            }
            return first
        }
    }
}
