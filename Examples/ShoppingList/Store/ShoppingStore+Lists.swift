import Cabinet

extension ShoppingStore {
    /// All lists, in the order of the screen.
    var allLists: Query { listTable.query(by: \.byName) }

    /// Fetches all lists, in the order of the screen.
    func lists() async throws(ShoppingError) -> [List] {
        try await saying(.listsNotFetched) {
            var lists: [List] = []
            for database in try await databases() {
                lists += try await database.table(Lists.self).all(by: \.byName)
            }
            lists.sortByName()
            return lists
        }
    }

    /// Saves a new list.
    func addList(named name: String) async throws(ShoppingError) -> List {
        try await saying(.listNotSaved) {
            try await listTable.save { $0.name = name }
        }
    }

    /// Gives a list another name.
    ///
    /// - Parameter resolver: Decides if another terminal has renamed it too.
    func rename(
        list: List, to name: String, resolvingConflictsWith resolver: ConflictResolver = .clientWins
    ) async throws(ShoppingError) -> List {
        if name == list.name { return list }
        var changed = list
        changed.name = name
        return try await saying(.listNotSaved) { [changed] in
            try await table(Lists.self, with: list.id).save(changed, resolvingConflictsWith: resolver)
        }
    }

    /// Deletes a list, and with it the items that refer to it.
    ///
    /// A list that is shared is deleted for all its users.
    func delete(list: List) async throws(ShoppingError) {
        try await saying(.listNotDeleted) {
            let zoneID = list.id.recordID.zoneID
            if zoneID == .default || list.isOfAnotherUser {
                try await table(Lists.self, with: list.id).delete(list.id)
            } else {
                try await database.deleteRecordZone(withID: zoneID)
            }
        }
    }
}
