import Cabinet
import CabinetSQLite
import Foundation
import Testing

@Suite("The article about performance: its programs run", .timeLimit(.minutes(15)))
struct PerformanceSnippets {
    @Test func advice() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cabinet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try Container(
            identifier: "com.example.shopping",
            backend: SQLiteBackend(directory: folder))
        let database = container.privateDatabase
        let list = Record(recordType: "Lists")
        try await database.save(list)
        let items = (0..<500).map { number in
            var item = Record(recordType: "Items")
            item["name"] = "Item \(number)"
            item["list"] = Reference(record: list, action: .deleteSelf)
            return item
        }

        // snippet: batch
        for start in stride(from: 0, to: items.count, by: 400) {
            let batch = Array(items[start..<min(start + 400, items.count)])
            try await database.save(batch)
        }
        // end

        // snippet: index
        var schema = try await container.schema()
        schema["Items"].indexes = [["list", "name"]]
        try await container.apply(schema)

        let query = Query(
            recordType: "Items", filter: .field("list") == list,
            sortedBy: [Sort("name")])
        print(try await database.explain(query))
        // end
        let explanation = try await database.explain(query).description
        #expect(explanation.contains("cabinet_index_Items.list,name"))
        #expect(!explanation.contains("sort"))

        // snippet: keys
        let page = try await database.records(
            matching: query, desiredKeys: ["name"], resultsLimit: 100)
        // end
        #expect(page.matchResults.count == 100)

        // snippet: stream
        var count = 0
        for try await item in database.recordSequence(matching: query)
        where item["name"] as? String != nil {
            count += 1
        }
        // end
        #expect(count == 500)
        await container.close()
    }
}
