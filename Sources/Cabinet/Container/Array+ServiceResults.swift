extension Dictionary where Key == RecordID {
    /// Returns the success of a requested item.
    func item<Success>(_ id: RecordID) throws -> Success where Value == Result<Success, CabinetError> {
        guard let result = self[id] else {
            throw CabinetError(.internalError, "The service gave no answer for the record.", recordID: id)
        }
        return try result.get()
    }
}

extension Dictionary {
    /// Files the results of a request under its IDs.
    ///
    /// - Throws: ``CabinetError/Code/internalError`` if the service has not given one result for each ID.
    init(_ results: [Value], of ids: [Key]) throws {
        try results.checkResultCount(ids.count)
        self.init(minimumCapacity: ids.count)
        for position in ids.indices { updateValue(results[position], forKey: ids[position]) }
    }
}

extension [CabinetError?] {
    /// The results of deletions.
    var results: [Result<Void, CabinetError>] { map { $0.map(Result.failure) ?? .success(()) } }
}

extension Array {
    /// The result of the only requested item.
    var onlyResult: Element {
        get throws(CabinetError) {
            guard count == 1, let first else { throw resultCountMismatch(1) }
            return first
        }
    }

    /// Throws unless the service has given one result for each item.
    func checkResultCount(_ expected: Int) throws(CabinetError) {
        if count != expected { throw resultCountMismatch(expected) }
    }

    private func resultCountMismatch(_ expected: Int) -> CabinetError {
        CabinetError(.internalError, "The service gave \(count) results for \(expected) items.")
    }
}
