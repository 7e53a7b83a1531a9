import Cabinet

extension ShoppingStore {
    /// The items that refer to a list, in the order of the screen.
    static func items(of list: Record) throws -> Query {
        let reference = Reference(record: list, action: .deleteSelf)
        return Query(recordType: "Items", filter: try Filter("list == %@", reference), sortedBy: [.byName])
    }

    /// Fetches the items that refer to a list, in the order of the screen.
    func items(of list: Record) async throws(ShoppingError) -> [Record] {
        try await saying(.itemsNotFetched) {
            try await database.allRecords(matching: Self.items(of: list))
        }
    }

    /// Saves a new item.
    ///
    /// Its reference to the list is set here and never changes.
    ///
    /// - Parameter number: The number to buy; `nil` for an item like those saved before items had numbers.
    func addItem(named name: String, number: Int?, to list: Record) async throws(ShoppingError) -> Record {
        try await saying(.itemNotSaved) {
            try await database.save(Self.item(named: name, number: number, on: list))
        }
    }

    /// Saves many new items, in batches.
    ///
    /// Each batch is one transaction: after a failure, the items of the batches before it are saved and no others.
    ///
    /// - Parameter report: Called with the items of each batch as soon as they are saved.
    func addItems(
        named names: [String], number: Int, to list: Record, report: ([Record]) -> Void
    ) async throws(ShoppingError) {
        for start in stride(from: 0, to: names.count, by: Self.batchSize) {
            let items = names[start..<min(start + Self.batchSize, names.count)].map {
                Self.item(named: $0, number: number, on: list)
            }
            report(
                try await saying(.itemNotSaved) {
                    let results = try await database.modifyRecords(saving: items, deleting: []).saveResults
                    return try items.compactMap { try results[$0.recordID]?.get() }
                })
        }
    }

    /// The maximum number of records in a request to CloudKit.
    private static let batchSize = 400

    private static func item(named name: String, number: Int?, on list: Record) -> Record {
        var item = Record(recordType: "Items")
        item["name"] = name
        item["number"] = number
        item["list"] = Reference(record: list, action: .deleteSelf)
        return item
    }

    /// Changes an item's name, or number, or both.
    ///
    /// Only fields with another value are saved, so that another terminal's changes of other fields stay.
    ///
    /// - Parameter resolver: Decides about a field that another terminal has changed too.
    func change(
        item: Record, name: String? = nil, number: Int? = nil,
        resolvingConflictsWith resolver: ConflictResolver = .clientWins
    ) async throws(ShoppingError) -> Record {
        var changed = item
        if let name, name != item.name { changed["name"] = name }
        if let number, number != item.number { changed["number"] = number }
        if changed.changedKeys().isEmpty { return item }
        return try await saying(.itemNotSaved) { [changed] in
            try await database.save(changed, resolvingConflictsWith: resolver)
        }
    }

    /// Adds to the number of an item as the store has it now, so that the steps of two terminals add up.
    func step(item: Record, by difference: Int) async throws(ShoppingError) {
        try await saying(.itemNotSaved) {
            try await database.update(item.recordID) { item in
                item["number"] = try ItemNumber("\(item.number + difference)").value
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
