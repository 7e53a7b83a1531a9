extension Table {
    /// Fetches the records that satisfy a condition, and the records that their links point to.
    ///
    /// The targets cost one request for each level of links, or several where the store limits how many records one request fetches.
    ///
    /// ```swift
    /// let page = try await items.all(where: { $0.number > 1 }, including: \.list)
    /// for item in page { print(item.name, page[item.list]?.name ?? "-") }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    ///   - limit: The maximum number of records, or `nil` for all.
    ///   - links: The links to follow, such as `\.list`, or `\.list.to.owner` for a further level. A list of links can
    ///     only be the end of such a path.
    /// - Returns: The records, with their targets.
    /// - Throws: The errors of ``all(isolation:where:by:desiredFields:limit:)`` and ``Database/records(for:desiredKeys:)``.
    public func all(
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() }, limit: Int? = nil,
        including links: ((Fields) -> any LinkSelection)...
    ) async throws -> RelatedItems<Fields> {
        let keys = links.map { $0(layout.fields).key }
        let items = try await all(where: filter, by: order, limit: limit)
        let targets = try await LinkFollower(database, keys: keys).targets(of: items.map(\.record))
        return RelatedItems(items: items, targets: targets)
    }

    /// Fetches the records whose link points to a record of this table.
    ///
    /// ```swift
    /// let items = try await lists.children(
    ///     of: groceries.id, through: \Items.list, by: \.name)
    /// ```
    ///
    /// - Parameters:
    ///   - parent: The ID of a record of this table.
    ///   - link: The link of the other record type.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - order: The order of the records; by default that of their first saves.
    /// - Throws: The errors of ``all(isolation:where:by:desiredFields:limit:)``.
    public func children<Child: RecordFields>(
        of parent: TypedID<Fields>, through link: (Child) -> Link<Fields>,
        isolation: isolated (any Actor)? = #isolation, by order: (Child) -> any TypedOrder = { _ in [Sort]() }
    ) async throws -> [Typed<Child>] {
        try await database.table(Child.self).all(where: { link($0) == parent }, by: order)
    }

    /// Fetches the records whose links point to records of this table, with one query for all of them.
    ///
    /// ```swift
    /// let itemsByList = try await lists.children(
    ///     of: page.map(\.id), through: \Items.list)
    /// ```
    ///
    /// - Parameters:
    ///   - parents: The IDs of records of this table.
    ///   - link: The link of the other record type.
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - order: The order of each parent's records; by default that of their first saves.
    /// - Returns: The records by parent; a parent without any has an empty list.
    /// - Throws: The errors of ``all(isolation:where:by:desiredFields:limit:)``.
    public func children<Child: RecordFields>(
        of parents: [TypedID<Fields>], through link: (Child) -> Link<Fields>,
        isolation: isolated (any Actor)? = #isolation, by order: (Child) -> any TypedOrder = { _ in [Sort]() }
    ) async throws -> [TypedID<Fields>: [Typed<Child>]] {
        if parents.isEmpty { return [:] }
        let table = database.table(Child.self)
        let declaration = link(table.fields)
        let found = try await table.all(where: { _ in declaration.isIn(parents) }, by: order)
        let children = Dictionary(grouping: found) { declaration.value(in: $0.record)?.recordID }
        // The store's records name the user's own zones without the user, and the caller may name them with it.
        let rule = OwnerRule(user: database.client.userRecordName)
        return Dictionary(
            parents.map { ($0, children[rule.canonical($0.recordID)] ?? []) }, uniquingKeysWith: { first, _ in first })
    }
}
