import Cabinet
import Foundation
import Testing

@Suite("The article about modelling: its programs run")
struct Modelling {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.models", backend: MemoryBackend()).privateDatabase
    }

    private func names(_ records: [Record]) -> [String] {
        records.compactMap { $0["name"] as? String }
    }

    private func named(_ recordType: String, _ name: String) -> Record {
        var record = Record(recordType: recordType)
        record["name"] = name
        return record
    }

    @Test func oneToMany() async throws {
        // snippet: owner
        var list = Record(recordType: "Lists")
        list["name"] = "Groceries"

        var item = Record(recordType: "Items")
        item["name"] = "Milk"
        item["list"] = Reference(record: list, action: .deleteSelf)

        try await database.save([list, item])
        // end
        // snippet: ownerQuery
        let items = try await database.allRecords(
            matching: Query(
                recordType: "Items", filter: .field("list") == list))
        let groceries = try await database.count(
            matching: Query(
                recordType: "Items",
                filter: .field("list.name") == "Groceries"))
        // end
        #expect(names(items) == ["Milk"] && groceries == 1)
    }

    @Test func rules() async throws {
        let shop = try await database.save(named("Shops", "Corner shop"))
        var item = named("Items", "Milk")
        // snippet: nullify
        item["shop"] = Reference(record: shop, action: .nullify)
        item = try await database.save(item)

        try await database.deleteRecord(withID: shop.recordID)
        item = try await database.record(for: item.recordID)
        let isGone = item["shop"] == nil  // true
        // end
        #expect(isGone)

        let brand = try await database.save(named("Brands", "Farm"))
        item["brand"] = Reference(record: brand, action: .deny)
        item = try await database.save(item)
        // snippet: deny
        do {
            try await database.deleteRecord(withID: brand.recordID)
        } catch CabinetError.Code.referenceViolation {
            print("The brand is still in use.")
        }
        // end
        #expect(try await database.exists(matching: Query(recordType: "Brands")))
    }

    @Test func manyToManyAsList() async throws {
        let cold = try await database.save(named("Tags", "cold"))
        let fresh = try await database.save(named("Tags", "fresh"))
        var milk = named("Items", "Milk")
        // snippet: list
        milk["tags"] = [cold, fresh].map {
            Reference(record: $0, action: .nullify)
        }
        milk = try await database.save(milk)

        let chilled = Query(
            recordType: "Items", filter: try Filter("tags CONTAINS %@", cold))
        let items = try await database.allRecords(matching: chilled)
        // end
        #expect(names(items) == ["Milk"])
        try await database.deleteRecord(withID: cold.recordID)
        let rest: [Reference]? = try await database.record(for: milk.recordID)["tags"]
        #expect(rest?.map(\.recordID) == [fresh.recordID])
    }

    @Test func manyToManyAsRecords() async throws {
        let recipe = try await database.save(named("Recipes", "Pancakes"))
        let milk = try await database.save(named("Items", "Milk"))
        // snippet: join
        var ingredient = Record(recordType: "Ingredients")
        ingredient["recipe"] = Reference(record: recipe, action: .deleteSelf)
        ingredient["item"] = Reference(record: milk, action: .deny)
        ingredient["amount"] = 0.5
        try await database.save(ingredient)

        let ofRecipe = Query(
            recordType: "Ingredients", filter: .field("recipe") == recipe,
            sortedBy: ["item.name"])
        let ingredients = try await database.allRecords(matching: ofRecipe)
        // end
        // snippet: joined
        let itemIDs = ingredients.compactMap { ingredient in
            (ingredient["item"] as Reference?)?.recordID
        }
        let results = try await database.records(for: itemIDs)
        let items = itemIDs.compactMap { results[$0]?.record }
        // end
        #expect(names(items) == ["Milk"])
        await #expect(throws: CabinetError.self) { try await database.deleteRecord(withID: milk.recordID) }
        try await database.deleteRecord(withID: recipe.recordID)
        try await database.deleteRecord(withID: milk.recordID)
    }

    @Test func oneToOne() async throws {
        let user = try await database.save(named("People", "Anna"))
        // snippet: one
        let id = RecordID(recordName: "profile-\(user.recordID.recordName)")
        var profile = Record(recordType: "Profiles", recordID: id)
        profile["person"] = Reference(record: user, action: .deleteSelf)
        try await database.save(profile)
        // end
        #expect(try await database.count(matching: Query(recordType: "Profiles")) == 1)
    }

    @Test func tree() async throws {
        let home = named("Folders", "Home")
        // snippet: tree
        var inner = Record(recordType: "Folders")
        inner["name"] = "Kitchen"
        inner["folder"] = Reference(record: home, action: .deleteSelf)

        let roots = Query(
            recordType: "Folders", filter: .field("folder") == nil)
        // end
        try await database.save([inner, home])
        #expect(names(try await database.allRecords(matching: roots)) == ["Home"])
        try await database.deleteRecord(withID: home.recordID)
        #expect(try await database.count(matching: Query(recordType: "Folders")) == 0)
    }

    // snippet: typed
    struct Item {
        var record: Record

        init(_ record: Record) { self.record = record }

        init(name: String, list: Record) {
            record = Record(recordType: "Items")
            record["list"] = Reference(record: list, action: .deleteSelf)
            self.name = name
        }

        var name: String {
            get { record["name"] ?? "" }
            set { record["name"] = newValue }
        }

        var isDone: Bool {
            get { record["isDone"] ?? false }
            set { record["isDone"] = newValue }
        }
    }
    // end

    @Test func typedRecords() async throws {
        let list = try await database.save(named("Lists", "Groceries"))
        // snippet: useTyped
        var milk = Item(name: "Milk", list: list)
        milk.isDone = true
        milk.record = try await database.save(milk.record)
        // end
        #expect(Item(milk.record).isDone && milk.name == "Milk")
    }
}
