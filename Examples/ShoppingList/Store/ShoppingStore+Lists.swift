import Cabinet

extension ShoppingStore {
    /// Fetches all lists, in the order of the screen.
    func lists() async throws(ShoppingError) -> [Record] {
        try await saying(.listsNotFetched) {
            let query = Query(recordType: "Lists", filter: try Filter("TRUEPREDICATE"), sortedBy: [Sort("name")])
            return try await database.allRecords(matching: query).sortedByName()
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
    func rename(list: Record, to name: String) async throws(ShoppingError) -> Record {
        try await saying(.listNotSaved) {
            try await database.update(list.recordID) { $0["name"] = name }
        }
    }

    /// Deletes a list, and with it the items that refer to it.
    func delete(list: Record) async throws(ShoppingError) {
        try await saying(.listNotDeleted) {
            try await database.deleteRecord(withID: list.recordID)
        }
    }
}
