import Cabinet
import Foundation
import Testing

// snippet: pager
/// Loads the records of a query page by page, as a list is scrolled.
@MainActor
final class Pager {
    private(set) var records: [Record] = []
    private(set) var hasMore = true

    private let database: Database
    private let query: Query
    private var cursor: Query.Cursor?
    private var isLoading = false

    init(database: Database, query: Query) {
        self.database = database
        self.query = query
    }

    /// Loads the next page; call it when the last row appears.
    func loadMore() async throws {
        if isLoading || !hasMore { return }
        isLoading = true
        defer { isLoading = false }
        let page =
            if let cursor {
                try await database.records(
                    continuingMatchFrom: cursor, resultsLimit: 50)
            } else {
                try await database.records(
                    matching: query, resultsLimit: 50)
            }
        records += page.matchResults.compactMap { $0.1.record }
        cursor = page.queryCursor
        hasMore = cursor != nil
    }
}
// end

// snippet: search
/// Searches while the user types, and drops outdated results.
@MainActor
final class Search {
    private(set) var results: [Record] = []
    private let database: Database
    private var task: Task<Void, any Error>?

    init(database: Database) { self.database = database }

    func textDidChange(to text: String) {
        task?.cancel()
        task = Task {
            try await Task.sleep(for: .milliseconds(200))
            let query = Query(
                recordType: "Items",
                filter: try Filter("name BEGINSWITH[cd] %@", text),
                sortedBy: ["name"])
            let found = try await database.allRecords(
                matching: query, limit: 20)
            try Task.checkCancellation()
            results = found
        }
    }
}
// end

@Suite("The recipes: their programs run", .timeLimit(.minutes(5)))
struct Recipes {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.recipes", backend: MemoryBackend()).privateDatabase
    }

    private func saveItems(_ names: [String]) async throws -> [Record] {
        var items: [Record] = []
        for (index, name) in names.enumerated() {
            var item = Record(recordType: "Items")
            item["name"] = name
            item["position"] = Double(index + 1)
            items.append(try await database.save(item))
        }
        return items
    }

    private func names(_ records: [Record]) -> [String] {
        records.compactMap { $0["name"] as? String }
    }

    @Test @MainActor func pages() async throws {
        let items = (1...120).map { _ in Record(recordType: "Items") }
        _ = try await database.modifyRecords(saving: items, deleting: [])
        let pager = Pager(database: database, query: Query(recordType: "Items"))
        var counts: [Int] = []
        while pager.hasMore {
            try await pager.loadMore()
            counts.append(pager.records.count)
        }
        #expect(counts == [50, 100, 120])
    }

    @Test @MainActor func searching() async throws {
        _ = try await saveItems(["Milk", "Millet", "Bread"])
        let search = Search(database: database)
        for text in ["b", "m", "mil"] { search.textDidChange(to: text) }
        while search.results.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(names(search.results) == ["Milk", "Millet"])
    }

    @Test func words() async throws {
        _ = try await saveItems(["Oat milk", "Bread"])
        let text = "milk"
        // snippet: words
        let query = Query(recordType: "Items", filter: .text(text))
        // end
        #expect(names(try await database.allRecords(matching: query)) == ["Oat milk"])
    }

    @Test func counters() async throws {
        let item = try await saveItems(["Milk"])[0]
        // snippet: counter
        let saved = try await database.update(item.recordID) { item in
            item["views"] = (item["views"] ?? 0) + 1
        }
        // end
        #expect(saved["views"] as? Int == 1)

        // snippet: manyCounters
        var event = Record(recordType: "Views")
        event["item"] = Reference(record: item, action: .deleteSelf)
        try await database.save(event)

        let views = try await database.count(
            matching: Query(
                recordType: "Views", filter: .field("item") == item))
        // end
        #expect(views == 1)
    }

    @Test func order() async throws {
        let items = try await saveItems(["Milk", "Bread", "Wine"])
        // snippet: order
        let query = Query(recordType: "Items", sortedBy: ["position"])
        // end
        var (moved, previous, next) = (items[2], items[0], items[1])
        // snippet: move
        let low: Double = previous["position"] ?? 0
        let high: Double = next["position"] ?? low + 2
        moved["position"] = (low + high) / 2
        moved = try await database.save(moved)
        // end
        (previous, next) = (next, previous)
        #expect(names(try await database.allRecords(matching: query)) == ["Milk", "Wine", "Bread"])
        // snippet: renumber
        var all = try await database.allRecords(matching: query)
        for index in all.indices { all[index]["position"] = Double(index) }
        _ = try await database.modifyRecords(saving: all, deleting: [])
        // end
        #expect(names(try await database.allRecords(matching: query)) == ["Milk", "Wine", "Bread"])
    }

    @Test func softDeletion() async throws {
        let item = try await saveItems(["Milk", "Bread"])[0]
        // snippet: trash
        try await database.update(item.recordID) { item in
            item["deletedAt"] = Date()
        }
        let kept = Query(
            recordType: "Items", filter: .field("deletedAt") == nil)
        // end
        #expect(names(try await database.allRecords(matching: kept)) == ["Bread"])

        let limit = Date(timeIntervalSinceNow: 60)
        // snippet: purge
        let expired = Query(
            recordType: "Items", filter: .field("deletedAt") < limit)
        let old = try await database.allRecords(
            matching: expired, desiredKeys: [])
        _ = try await database.modifyRecords(
            saving: [], deleting: old.map(\.recordID))
        // end
        #expect(old.count == 1)
    }

    @Test func uniqueness() async throws {
        let address = "anna@example.com"
        // snippet: unique
        let id = RecordID(recordName: "address-\(address)")
        var member = Record(recordType: "Members", recordID: id)
        member["address"] = address
        do {
            member = try await database.save(member)
        } catch CabinetError.Code.serverRecordChanged {
            print("\(address) is taken.")
        }
        // end
        #expect(member.recordChangeTag != nil)
        await #expect { try await database.save(Record(recordType: "Members", recordID: id)) } throws: {
            CabinetError.Code.serverRecordChanged ~= $0
        }
    }

    @Test func upserts() async throws {
        // snippet: upsert
        var settings = Record(recordType: "Settings", recordID: "settings")
        settings["theme"] = "dark"
        try await database.save(settings, savePolicy: .changedKeys)
        // end
        settings["theme"] = "light"
        #expect(try await database.save(settings, savePolicy: .changedKeys)["theme"] as? String == "light")
    }
}
