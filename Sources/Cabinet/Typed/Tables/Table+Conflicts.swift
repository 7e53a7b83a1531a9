extension Table {
    /// Saves a record and, if another client has saved it since, the record that a closure returns.
    ///
    /// ```swift
    /// milk = try await items.save(milk) { conflict in
    ///     var item = conflict.server
    ///     item.number = max(item.number, conflict.client.number)
    ///     return item
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - item: The record to save.
    ///   - resolve: A closure that changes the conflict's server record and returns it. It may be called several times.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of the closure, and those of ``Database/save(_:resolvingConflictsWith:)``.
    @discardableResult
    public func save(
        _ item: Typed<Fields>,
        resolvingConflictsWith resolve: @escaping @Sendable (TypedConflict<Fields>) throws -> Typed<Fields>
    ) async throws -> Typed<Fields> {
        let layout = layout
        let resolver = ConflictResolver { try resolve(TypedConflict($0, layout: layout)).record }
        return try await save(item, resolvingConflictsWith: resolver)
    }

    /// Saves a record and, if another client has saved it since, the result of a conflict resolver.
    ///
    /// - Parameters:
    ///   - item: The record to save.
    ///   - resolver: The rule that merges the two versions.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of ``Database/save(_:resolvingConflictsWith:)``.
    @discardableResult
    public func save(
        _ item: Typed<Fields>, resolvingConflictsWith resolver: ConflictResolver
    ) async throws -> Typed<Fields> {
        try layout.requirement.validate(item.record)
        return typed(try await database.save(item.record, resolvingConflictsWith: resolver))
    }
}
