/// Typed records in a transaction.
///
/// ```swift
/// try await database.transaction { t in
///     var item = try await t.record(for: milk.id)
///     let same = try await t.all(Items.self, where: { $0.list == item.list })
///     item.number = same.count
///     try t.save(item)
/// }
/// ```
extension Database.Transaction {
    /// Fetches a record by ID, or returns it as the transaction has read or saved it.
    ///
    /// - Parameter id: The record's ID.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the record is of another type, and the errors of
    ///   ``record(for:)-(RecordID)``.
    public func record<Fields: RecordFields>(for id: TypedID<Fields>) async throws -> Typed<Fields> {
        try Typed(try await record(for: id.recordID), layout: .shared())
    }

    /// Fetches records by ID, in one request.
    ///
    /// - Parameter ids: The records' IDs.
    /// - Returns: A record or an error for each ID, such as ``CabinetError/Code/unknownItem``.
    /// - Throws: The errors of ``records(for:)-([RecordID])``.
    public func records<Fields: RecordFields>(
        for ids: [TypedID<Fields>]
    ) async throws -> [TypedID<Fields>: Result<Typed<Fields>, CabinetError>] {
        let results = try await records(for: ids.map(\.recordID))
        return Dictionary(
            uniqueKeysWithValues: results.map { id, result in
                (
                    TypedID(id),
                    result.flatMap { record in Result { () throws(CabinetError) in try Typed(record) } }
                )
            })
    }

    /// Fetches the records that satisfy a condition, merged with the transaction's own writes.
    ///
    /// - Parameters:
    ///   - declaration: The declaration of the records' type.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    ///   - limit: The maximum number of records, or `nil` for all.
    /// - Returns: The records, in the order.
    /// - Throws: The errors of ``allRecords(matching:inZoneWith:limit:)``.
    public func all<Fields: RecordFields>(
        _ declaration: Fields.Type, isolation: isolated (any Actor)? = #isolation,
        where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() }, limit: Int? = nil
    ) async throws -> [Typed<Fields>] {
        let table = database.table(declaration)
        return table.typed(try await allRecords(matching: table.query(where: filter, by: order), limit: limit))
    }

    /// Fetches the first record that satisfies a condition, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - declaration: The declaration of the record's type.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    /// - Throws: The errors of ``allRecords(matching:inZoneWith:limit:)``.
    public func first<Fields: RecordFields>(
        _ declaration: Fields.Type, isolation: isolated (any Actor)? = #isolation,
        where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() }
    ) async throws -> Typed<Fields>? {
        try await all(declaration, where: filter, by: order, limit: 1).first
    }

    /// Saves records of any types when the closure returns, if the server still has the versions that were read.
    ///
    /// - Parameter item: The records: new ones, or some that were read in the transaction.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a new record has no value in a required field, and the errors of
    ///   ``save(_:)-(Record)``.
    public func save<each Fields: RecordFields>(_ item: repeat Typed<each Fields>) throws(CabinetError) {
        for item in repeat each item {
            try item.layout.requirement.validate(item.record)
            try save(item.record)
        }
    }

    /// Saves records when the closure returns.
    ///
    /// - Parameter items: New records, or some that were read in the transaction.
    /// - Throws: The errors of ``save(_:)-(Record)``.
    public func save<Fields: RecordFields>(_ items: [Typed<Fields>]) throws(CabinetError) {
        for item in items { try item.layout.requirement.validate(item.record) }
        try save(items.map(\.record))
    }

    /// Deletes a record when the closure returns, with every record that refers to it with ``Reference/Action/deleteSelf``.
    ///
    /// - Parameter id: The record's ID. Deleting a record that does not exist succeeds.
    /// - Throws: The errors of ``save(_:)-(Record)``.
    public func delete<Fields: RecordFields>(_ id: TypedID<Fields>) throws(CabinetError) {
        try delete(id.recordID)
    }
}

extension Typed: ReturnedRecords {
    func replacing(_ saved: [RecordID: Record]) -> Self {
        saved[record.recordID].map { Self(checked: $0, layout: layout) } ?? self
    }
}
