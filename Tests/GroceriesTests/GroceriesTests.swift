// The tests of the article "Getting started".

import Cabinet
import Groceries
import Testing

@Suite struct GroceriesTests {
    let database: Database
    let groceries: Groceries

    init() throws {
        let container = try Container(
            identifier: "com.example.groceries", backend: MemoryBackend())
        database = container.privateDatabase
        groceries = Groceries(database: database)
    }

    @Test func itemsAreSortedByName() async throws {
        let list = try await groceries.addList(named: "Saturday")
        _ = try await groceries.addItem(named: "Milk", to: list)
        _ = try await groceries.addItem(named: "Bread", to: list)

        let items = try await groceries.items(of: list)
        let names = items.map { $0["name"] as? String }
        #expect(names == ["Bread", "Milk"])
    }

    @Test func deletingAListDeletesItsItems() async throws {
        let list = try await groceries.addList(named: "Saturday")
        _ = try await groceries.addItem(named: "Milk", to: list)

        try await database.deleteRecord(withID: list.recordID)
        #expect(try await groceries.items(of: list).isEmpty)
    }

    @Test func theSecondEditConflicts() async throws {
        let list = try await groceries.addList(named: "Saturday")
        let milk = try await groceries.addItem(named: "Milk", to: list)
        var (annasMilk, bensMilk) = (milk, milk)
        annasMilk["number"] = 2
        bensMilk["isDone"] = true

        try await database.save(annasMilk)
        let error = await #expect(throws: CabinetError.self) {
            try await database.save(bensMilk)
        }
        #expect(error?.code == .serverRecordChanged)

        let newer = try await groceries.conflict(saving: bensMilk)
        #expect(newer?["number"] as? Int == 2)
    }

    @Test func twoEditsAreMerged() async throws {
        let list = try await groceries.addList(named: "Saturday")
        let milk = try await groceries.addItem(named: "Milk", to: list)
        var (annasMilk, bensMilk) = (milk, milk)
        annasMilk["number"] = 2
        bensMilk["isDone"] = true

        _ = try await groceries.save(annasMilk)
        let merged = try await groceries.save(bensMilk)
        #expect(merged["number"] as? Int == 2)
        #expect(merged["isDone"] as? Bool == true)
    }
}
