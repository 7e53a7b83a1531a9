extension StorageTransaction {
    /// Reserves numbers for the changes of this transaction.
    ///
    /// The numbers are above all that were reserved by transactions that committed before, so that the order of numbers is the order of
    /// changes. Numbers reserved by a transaction that is rolled back may be reserved again.
    ///
    /// - Parameter count: How many consecutive numbers to reserve; at least one.
    /// - Returns: The first of them, at least 1.
    package func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        let values = try await load(StorageKeys(entries: [DatabaseState.key]))
        var state = try DatabaseState(entry: values.entries.first ?? nil)
        var mutations = try await state.beginTimeline(on: values.origin, in: self)
        let first = state.lastSequenceNumber + 1
        let (last, overflow) = state.lastSequenceNumber.addingReportingOverflow(Int64(count))
        // One is left, so that the number after the last one can be computed.
        if overflow || last == .max {
            throw CabinetError(
                .limitExceeded, "The database has used all its sequence numbers. Copy it to a new store.")
        }
        state.lastSequenceNumber = last
        mutations.append(state.mutation)
        try await apply(mutations)
        return first
    }
}
