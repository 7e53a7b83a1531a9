import Cabinet
import Foundation
import Synchronization
import Testing

@Suite("The article about live queries: its programs run", .timeLimit(.minutes(15)))
struct LiveSnippets {
    private let container: Container
    private var database: Database { container.privateDatabase }

    init() throws {
        container = try Container(
            identifier: "com.example.live", backend: MemoryBackend())
    }

    private func item(_ name: String) -> Record {
        var item = Record(recordType: "Items", recordID: RecordID(recordName: name))
        item["name"] = name
        item["done"] = false
        return item
    }

    private func wait(until isDone: () -> Bool) async throws {
        while !isDone() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func observing() async throws {
        try await database.save(item("Milk"))
        let screen = Mutex<[String]>([])
        let task = Task { [database] in
            func show(_ items: [Record]) {
                screen.withLock { $0 = items.compactMap { $0["name"] as? String } }
            }
            // snippet: observe
            let query = Query(
                recordType: "Items", filter: .field("done") == false,
                sortedBy: [Sort("name")])
            for try await items in database.observe(query) {
                show(items)
            }
            // end
        }
        try await wait { screen.withLock { $0 } == ["Milk"] }
        try await database.save(item("Bread"))
        try await wait { screen.withLock { $0 } == ["Bread", "Milk"] }
        try await database.update(RecordID(recordName: "Milk")) { $0["done"] = true }
        try await wait { screen.withLock { $0 } == ["Bread"] }
        await container.close()
        try await task.value
    }

    @Test func firstRecords() async throws {
        try await database.save(item("Milk"))
        let screen = Mutex<[String]>([])
        let task = Task { [database] in
            func show(_ items: [Record]) {
                screen.withLock { $0 = items.compactMap { $0["name"] as? String } }
            }
            // snippet: limit
            let latest = Query(
                recordType: "Items", sortedBy: [.descending("creationDate")])
            for try await items in database.observe(latest, limit: 20) {
                show(items)
            }
            // end
        }
        try await wait { screen.withLock { $0 } == ["Milk"] }
        try await database.save((0..<20).map { item("Bread \($0)") })
        try await wait { screen.withLock { $0 }.count == 20 }
        #expect(!screen.withLock { $0 }.contains("Milk"))
        await container.close()
        try await task.value
    }

    @Test func counts() async throws {
        try await database.save(item("Milk"))
        let screen = Mutex<[String]>([])
        let groups = Mutex<[String]>([])
        let all = Query(recordType: "Items")
        let counting = Task { [database] in
            var badge = "" { didSet { screen.withLock { [badge] in $0.append(badge) } } }
            // snippet: count
            let open = Query(
                recordType: "Items", filter: .field("done") == false)
            for try await count in database.observeCount(matching: open) {
                badge = "\(count)"
            }
            // end
        }
        let adding = Task { [database] in
            var table: [(String, Double)] = [] {
                didSet { groups.withLock { [table] in $0 = table.map { "\($0.0) \($0.1)" } } }
            }
            // snippet: groups
            for try await sums in database.observeSums(
                of: "price", by: "status", matching: all)
            {
                table = sums.map { ($0.value as? String ?? "none", $0.sum) }
            }
            // end
        }
        try await wait { screen.withLock { $0 } == ["1"] }
        var bread = item("Bread")
        (bread["status"], bread["price"]) = ("new", 1.5)
        try await database.save(bread)
        try await wait { screen.withLock { $0 } == ["1", "2"] }
        try await database.update(RecordID(recordName: "Milk")) { $0["done"] = true }
        try await wait { screen.withLock { $0 } == ["1", "2", "1"] }
        try await wait { groups.withLock { $0 } == ["none 0.0", "new 1.5"] }
        await container.close()
        try await counting.value
        try await adding.value
    }

    @Test func differences() async throws {
        let query = Query(recordType: "Items", sortedBy: [Sort("name")])
        try await database.save(item("Milk"))
        let count = Mutex(0)
        let task = Task { [database] in
            var rows: [Record] = []
            defer { #expect(rows.count == 2) }
            var log: [String] = []
            func remove(_ ids: [RecordID]) { log.append("-\(ids.count)") }
            func insert(_ records: [Record]) { log.append("+\(records.count)") }
            func reload(_ records: [Record]) { log.append("*\(records.count)") }
            func move(_ ids: [RecordID]) {
                log.append(">\(ids.count)")
                count.withLock { $0 += 1 }
            }
            // snippet: differences
            for try await difference in database.observe(query).differences {
                remove(difference.deleted)
                insert(difference.inserted)
                reload(difference.updated)
                move(difference.moved)
                rows = difference.records
            }
            // end
            return log
        }
        try await wait { count.withLock { $0 } == 1 }
        try await database.save(item("Bread"))
        try await wait { count.withLock { $0 } == 2 }
        await container.close()
        #expect(try await task.value == ["-0", "+1", "*0", ">0", "-0", "+1", "*0", ">0"])
    }
}
