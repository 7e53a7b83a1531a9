import Cabinet
import Testing

@Suite("The landing page: its program runs")
struct Overview {
    @Test func program() async throws {
        // snippet: program
        let container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend())
        let database = container.privateDatabase

        var list = Record(recordType: "Lists")
        list["name"] = "Groceries"
        list = try await database.save(list)

        var item = Record(recordType: "Items")
        item["name"] = "Milk"
        item["list"] = Reference(record: list, action: .deleteSelf)
        item = try await database.save(item)

        let query = Query(
            recordType: "Items", filter: .field("list") == list)
        let items = try await database.allRecords(matching: query)

        // Deletes the list and its items.
        try await database.deleteRecord(withID: list.recordID)
        // end
        #expect(items == [item])
        #expect(try await database.allRecords(matching: query).isEmpty)
    }
}
