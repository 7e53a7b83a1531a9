import Cabinet

/// Numbered calls that change a database so that the number of those that returned determines its content.
///
/// Two of three calls save a list with two items, all or nothing; the third deletes the first list, and with it its items.
struct SavedStory {
    /// The prefix of the names of the lists.
    let prefix: String

    private func name(_ call: Int) -> String { "\(prefix)-\(call)" }

    func perform(_ call: Int, in database: Database) async throws {
        if call % 3 == 2 {
            try await database.deleteRecord(withID: .named(name(call - 2)))
            return
        }
        let list = Record("Lists", name(call), ["text": String(repeating: "x", count: 1000)])
        let items = ["Bread", "Milk"].map { (item: String) in
            Record("Items", "\(name(call))-\(item)", ["name": item, "list": Reference(name(call), .deleteSelf)])
        }
        try await database.saveAll([list] + items)
    }

    /// Throws unless a database has the lists of the calls that returned, and their items.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - count: The number of calls that returned.
    ///   - isNextPossible: Whether the call after them may have been performed too.
    func check(_ database: Database, after count: Int, isNextPossible: Bool = false) async throws {
        if count == 0 { return }
        let lists = try await database.names("Lists").filter { $0.hasPrefix("\(prefix)-") }
        let expected = self.lists(after: count)
        if !isNextPossible || lists != self.lists(after: count + 1) {
            try expect("The lists after \(count) calls", lists, equals: expected)
        }
        let items = try await database.names("Items").filter { $0.hasPrefix("\(prefix)-") }
        try expect("Their items", items, equals: lists.flatMap { ["\($0)-Bread", "\($0)-Milk"] }.sorted())
    }

    /// The names of the lists after a number of calls, in order.
    private func lists(after count: Int) -> [String] {
        (0..<count).filter { $0 % 3 == 1 || $0 % 3 == 0 && $0 + 2 >= count }.map(name).sorted()
    }
}
