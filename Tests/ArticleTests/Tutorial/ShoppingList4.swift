import Cabinet
import Testing

extension TutorialSteps {
    @Test func step4() async throws {
        let transcript = Transcript()
        @Sendable func print(_ items: Any...) { transcript.print(items) }

        // snippet: ShoppingList4
        let container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend())
        let database = container.privateDatabase

        var list = Record(recordType: "Lists")
        list["name"] = "Groceries"
        list = try await database.save(list)
        print("Saved:", list["name"] as? String ?? "-")

        func makeItem(_ name: String, _ number: Int, in list: Record) -> Record {
            var item = Record(recordType: "Items")
            item["name"] = name
            item["number"] = number
            item["isDone"] = false
            item["list"] = Reference(record: list, action: .deleteSelf)
            return item
        }

        let saved = try await database.save([
            makeItem("Milk", 2, in: list), makeItem("Bread", 1, in: list),
        ])
        print("Items:", saved.count)

        let query = Query(
            recordType: "Items",
            filter: .field("list") == list && .field("isDone") == false,
            sortedBy: ["name"])
        let items = try await database.allRecords(matching: query)
        for item in items {
            print(item["number"] as? Int ?? 0, item["name"] as? String ?? "-")
        }
        // end
        #expect(transcript.lines.filter { !Self.depends($0) } == Array(Self.output.prefix(4)))
    }
}
