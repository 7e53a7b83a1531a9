import Cabinet

extension ShoppingStore {
    /// All lists, in the order of the screen.
    static var allLists: Query {
        get throws {
            Query(recordType: "Lists", filter: try Filter("TRUEPREDICATE"), sortedBy: [.byName])
        }
    }

    /// Fetches all lists, in the order of the screen.
    func lists() async throws(ShoppingError) -> [Record] {
        try await saying(.listsNotFetched) {
            try await database.allRecords(matching: Self.allLists)
        }
    }

    /// Saves a new list.
    func addList(named name: String) async throws(ShoppingError) -> Record {
        var list = Record(recordType: "Lists")
        list["name"] = name
        return try await saying(.listNotSaved) {
            try await database.save(list)
        }
    }

    /// Gives a list another name.
    ///
    /// - Parameter resolver: Decides if another terminal has renamed it too.
    func rename(
        list: Record, to name: String, resolvingConflictsWith resolver: ConflictResolver = .clientWins
    ) async throws(ShoppingError) -> Record {
        if name == list.name { return list }
        var changed = list
        changed["name"] = name
        return try await saying(.listNotSaved) {
            try await database.save(changed, resolvingConflictsWith: resolver)
        }
    }

    /// Deletes a list, and with it the items that refer to it.
    func delete(list: Record) async throws(ShoppingError) {
        try await saying(.listNotDeleted) {
            try await database.deleteRecord(withID: list.recordID)
        }
    }
}
