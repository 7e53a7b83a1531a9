extension StorageTransaction {
    /// Reserves numbers for the changes of this transaction.
    ///
    /// The numbers exceed all that earlier transactions have reserved and committed, so that the order of numbers is the order of
    /// changes. Numbers reserved by a rolled-back transaction may be reused.
    ///
    /// - Parameter count: The number of consecutive numbers to reserve; at least one.
    /// - Returns: The first of them, at least 1.
    package func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        let values = try await load(StorageKeys(entries: [DatabaseState.key]))
        var state = try DatabaseState(entry: values.entries.first ?? nil)
        var mutations = try await state.beginTimeline(on: values.origin, in: self)
        try state.checkNumbers(count)
        let first = state.lastSequenceNumber + 1
        state.lastSequenceNumber += Int64(count)
        mutations.append(state.mutation)
        try await apply(mutations)
        return first
    }
}
