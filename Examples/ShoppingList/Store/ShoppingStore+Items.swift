import Cabinet

extension ShoppingStore {
    /// Fetches the items that refer to a list, in the order of the screen.
    func items(of list: Record) async throws(ShoppingError) -> [Record] {
        try await saying(.itemsNotFetched) {
            try await database.allRecords(matching: Self.items(of: list)).sortedByName()
        }
    }

    /// Shows the items that refer to a list, and again whenever somebody has changed them, until it fails or the store is closed.
    ///
    /// A server that is away for a moment is waited for.
    func watchItems(of list: Record, show: ([Record]) -> Void) async throws(ShoppingError) {
        try await saying(.itemsNotFetched) {
            var changes = database.observe(try Self.items(of: list)).makeAsyncIterator()
            while true {
                do {
                    guard let items = try await changes.next() else { return }
                    show(items.sortedByName())
                } catch let error as CabinetError {
                    guard let delay = error.retryAfterSeconds else { throw error }
                    try await Task.sleep(for: .seconds(delay))
                }
            }
        }
    }

    private static func items(of list: Record) throws -> Query {
        let reference = Reference(record: list, action: .deleteSelf)
        return Query(recordType: "Items", filter: try Filter("list == %@", reference), sortedBy: [Sort("name")])
    }

    /// Saves a new item, whose reference to the list is set here, once and for all.
    ///
    /// - Parameter number: How many to buy; `nil` as it was before items had numbers.
    func addItem(named name: String, number: Int?, to list: Record) async throws(ShoppingError) -> Record {
        var item = Record(recordType: "Items")
        item["name"] = name
        item["number"] = number
        item["list"] = Reference(record: list, action: .deleteSelf)
        return try await saying(.itemNotSaved) {
            try await database.save(item)
        }
    }

    /// Changes an item's name, or number, or both; what is `nil` stays as it is.
    func change(item: Record, name: String? = nil, number: Int? = nil) async throws(ShoppingError) -> Record {
        try await saying(.itemNotSaved) {
            try await database.update(item.recordID) { item in
                if let name { item["name"] = name }
                if let number { item["number"] = number }
            }
        }
    }

    /// Deletes an item.
    func delete(item: Record) async throws(ShoppingError) {
        try await saying(.itemNotDeleted) {
            try await database.deleteRecord(withID: item.recordID)
        }
    }
}
