import Cabinet

extension ShoppingStore {
    /// The items that refer to a list, in the order of the screen.
    func itemsQuery(of list: List) -> Query {
        itemTable.query(where: { $0.list == list.id }, by: \.byName)
    }

    /// Fetches the items that refer to a list, in the order of the screen.
    func items(of list: List) async throws(ShoppingError) -> [Item] {
        try await saying(.itemsNotFetched) {
            try await table(Items.self, with: list.id).all(where: { $0.list == list.id }, by: \.byName)
        }
    }

    /// The number of items on all lists of the user's own.
    func numberOfItems() async throws -> Int {
        try await itemTable.count()
    }

    /// Saves a new item.
    ///
    /// Its reference to the list is set here and never changes.
    ///
    /// - Parameter number: The number to buy; `nil` for an item like those saved before items had numbers.
    func addItem(named name: String, number: Int?, to list: List) async throws(ShoppingError) -> Item {
        try await saying(.itemNotSaved) {
            try await table(Items.self, with: list.id).save(item(named: name, number: number, on: list))
        }
    }

    /// Saves many new items, in batches.
    ///
    /// Each batch is one transaction: after a failure, the items of the batches before it are saved and no others.
    ///
    /// - Parameter report: Called with the items of each batch as soon as they are saved.
    func addItems(
        named names: [String], number: Int, to list: List, report: ([Item]) -> Void
    ) async throws(ShoppingError) {
        for start in stride(from: 0, to: names.count, by: Self.batchSize) {
            let items = names[start..<min(start + Self.batchSize, names.count)].map {
                item(named: $0, number: number, on: list)
            }
            report(try await saying(.itemNotSaved) { try await table(Items.self, with: list.id).save(items) })
        }
    }

    /// The maximum number of records in a request to CloudKit.
    private static let batchSize = 400

    private func item(named name: String, number: Int?, on list: List) -> Item {
        var item = table(Items.self, with: list.id).make()
        item.name = name
        item.savedNumber = number
        item.list = list.id
        return item
    }

    /// Changes an item's name, or number, or both.
    ///
    /// Only fields with another value are saved, so that another terminal's changes of other fields stay.
    ///
    /// - Parameter resolver: Decides about a field that another terminal has changed too.
    func change(
        item: Item, name: String? = nil, number: Int? = nil,
        resolvingConflictsWith resolver: ConflictResolver = .clientWins
    ) async throws(ShoppingError) -> Item {
        var changed = item
        if let name, name != item.name { changed.name = name }
        if let number, number != item.number { changed.savedNumber = number }
        if changed.record.changedKeys().isEmpty { return item }
        return try await saying(.itemNotSaved) { [changed] in
            try await table(Items.self, with: item.id).save(changed, resolvingConflictsWith: resolver)
        }
    }

    /// Adds to the number of an item as the store has it now, so that the steps of two terminals add up.
    func step(item: Item, by difference: Int) async throws(ShoppingError) {
        try await saying(.itemNotSaved) {
            try await table(Items.self, with: item.id).update(item.id) { item in
                item.savedNumber = try ItemNumber(item.number, adding: difference).value
            }
        }
    }

    /// Deletes an item.
    func delete(item: Item) async throws(ShoppingError) {
        try await saying(.itemNotDeleted) {
            try await table(Items.self, with: item.id).delete(item.id)
        }
    }
}
