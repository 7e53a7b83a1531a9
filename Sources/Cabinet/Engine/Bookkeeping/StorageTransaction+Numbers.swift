extension StorageTransaction {
    /// Reserves numbers for the changes of this transaction.
    ///
    /// The numbers exceed all that earlier transactions have reserved and committed, so that the order of numbers is the order of
    /// changes. Numbers reserved by a rolled-back transaction may be reused.
    ///
    /// - Parameter count: The number of consecutive numbers to reserve; at least one.
    /// - Returns: The first of them, at least 1.
    package func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        try await reserve(count, beginningTimeline: false)
    }

    /// Reserves the number of a rename, of a drop, or of a change of a field's type, and begins a timeline with it.
    ///
    /// The changes of records do not include such a change, and a name may have its former type again before the next read. Because
    /// of the timeline, live queries run again, and the queries of transactions have changed. Change tokens stay valid.
    func reserveNumberOfSchemaChange() async throws -> Int64 {
        try await reserve(1, beginningTimeline: true)
    }

    private func reserve(_ count: Int, beginningTimeline: Bool) async throws -> Int64 {
        let values = try await load(StorageKeys(entries: [DatabaseState.key]))
        var state = try DatabaseState(entry: values.entries.first ?? nil)
        var mutations = try await state.beginTimeline(on: values.origin, in: self)
        if beginningTimeline, mutations.isEmpty { mutations = try await state.beginTimeline(in: self) }
        try state.checkNumbers(count)
        let first = state.lastSequenceNumber + 1
        state.lastSequenceNumber += Int64(count)
        mutations.append(state.mutation)
        try await apply(mutations)
        return first
    }
}
