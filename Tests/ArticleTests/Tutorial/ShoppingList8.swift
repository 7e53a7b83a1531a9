import Cabinet
import CabinetSQLite
import Foundation
import Testing

extension TutorialSteps {
    @Test func step8() async throws {
        let transcript = Transcript()
        @Sendable func print(_ items: Any...) { transcript.print(items) }

        // snippet: ShoppingList8
        let folder = URL.temporaryDirectory.appending(path: "shopping-\(UUID())")
        let container = try Container(
            identifier: "com.example.shopping",
            backend: SQLiteBackend(directory: folder))
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

        var milk = items[1]
        milk["number"] = 3
        milk = try await database.save(milk)
        print("Milk:", milk["number"] as? Int ?? 0)

        var annasMilk = milk
        var bensMilk = milk
        annasMilk["number"] = 4
        bensMilk["unit"] = "litres"
        try await database.save(annasMilk)
        do {
            try await database.save(bensMilk)
        } catch CabinetError.Code.serverRecordChanged {
            milk = try await database.save(
                bensMilk,
                resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
        }
        print("Milk:", milk["number"] as? Int ?? 0, milk["unit"] as? String ?? "-")

        let screen = Task {
            for try await items in database.observe(query) {
                print("On the screen:", items.count)
                if items.count == 3 { break }
            }
        }
        try await database.save(makeItem("Butter", 1, in: list))
        try await screen.value
        // end
        #expect(transcript.lines.filter { !Self.depends($0) } == Array(Self.output.prefix(7)))
    }
}
