import Cabinet
import Foundation
import Testing

@Suite("The article about records and values: its programs run")
struct RecordsAndValues {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.values", backend: MemoryBackend()).privateDatabase
    }

    // snippet: enum
    enum Priority: Int, RecordValue { case low, normal, high }
    enum Stage: String, RecordValue { case planned, bought }
    // end

    // snippet: custom
    struct Price: RecordValue, Equatable {
        var cents: Int64

        static var fieldType: FieldType { .int64 }
        var fieldValue: FieldValue? { .int64(cents) }

        init(cents: Int64) { self.cents = cents }
        init?(fieldValue: FieldValue) {
            guard case .int64(let cents) = fieldValue else { return nil }
            self.cents = cents
        }
    }
    // end

    @Test func firstRecord() async throws {
        // snippet: first
        var item = Record(recordType: "Items")
        item["name"] = "Milk"
        item["number"] = 2
        item["isDone"] = false
        item = try await database.save(item)

        let name = item["name"] as? String  // "Milk"
        let number: Double? = item["number"]  // 2.0
        // end
        #expect(name == "Milk" && number == 2)
    }

    @Test func everyType() async throws {
        let list = try await database.save(Record(recordType: "Lists"))
        let photo = Data("a photo".utf8)
        var item = Record(recordType: "Items")
        // snippet: types
        item["name"] = "Milk"  // STRING
        item["number"] = 2  // INT64
        item["isDone"] = true  // INT64: 1
        item["price"] = 1.19  // DOUBLE
        item["due"] = Date()  // TIMESTAMP
        item["thumbnail"] = Data([0xFF, 0xD8])  // BYTES
        item["list"] = Reference(record: list, action: .deleteSelf)
        item["shop"] = Location(latitude: 52.52, longitude: 13.4)
        item["photo"] = Asset(data: photo)
        item["tags"] = ["cold", "fresh"]  // LIST<STRING>
        item["barcode"] = UUID()  // STRING
        item["page"] = URL(string: "https://example.com/milk")  // STRING
        item["priority"] = Priority.high  // INT64: 2
        item["stage"] = Stage.bought  // STRING: "bought"
        // end
        let saved = try await database.save(item)

        // snippet: reading
        let due = saved["due"] as? Date
        let tags = saved["tags"] as? [String] ?? []
        let barcode: UUID? = saved["barcode"]
        let page: URL? = saved["page"]
        let priority: Priority? = saved["priority"]
        let place: Location? = saved["shop"]
        // end
        #expect(due != nil && tags.count == 2 && barcode != nil && page != nil)
        #expect(priority == .high && place?.latitude == 52.52)

        // snippet: filterEnum
        let urgent = Query(
            recordType: "Items", filter: .field("priority") == Priority.high)
        // end
        #expect(try await database.count(matching: urgent) == 1)

        var priced = Record(recordType: "Prices")
        // snippet: useCustom
        priced["price"] = Price(cents: 119)
        let price: Price? = priced["price"]
        // end
        #expect(price == Price(cents: 119))
    }

    @Test func removal() async throws {
        var item = Record(recordType: "Items")
        item["price"] = 1.19
        item["due"] = Date()
        item = try await database.save(item)
        // snippet: nil
        item["price"] = nil
        item = try await database.save(item)

        let unpriced = Query(
            recordType: "Items", filter: .field("price") == nil)
        let count = try await database.count(matching: unpriced)  // 1
        // end
        #expect(count == 1)
        #expect(item.allKeys() == ["due"])
    }

    @Test func lists() async throws {
        var item = Record(recordType: "Items")
        // snippet: lists
        item["sizes"] = [250, 500, 1000]
        let sizes = item["sizes"] as? [Int] ?? []
        item["sizes"] = sizes + [2000]

        let large = Query(
            recordType: "Items", filter: try Filter("ANY sizes > 1500"))
        // end
        try await database.save(item)
        #expect(try await database.count(matching: large) == 1)
    }

    @Test func numbers() async throws {
        var item = Record(recordType: "Items")
        // snippet: numbers
        item["weight"] = 5
        let asInt = item["weight"] as? Int  // 5
        let asDouble: Double? = item["weight"]  // 5.0

        item["weight"] = 2.5
        let tooPrecise = item["weight"] as? Int  // nil
        let asFloat: Float? = item["weight"]  // 2.5
        // end
        #expect(asInt == 5 && asDouble == 5 && tooPrecise == nil && asFloat == 2.5)

        // snippet: fraction
        let wrong = (item["weight"] ?? 0) * 2  // 0: an Int
        let weight: Double = item["weight"] ?? 0
        let right = weight * 2  // 5.0
        // end
        #expect(wrong == 0 && right == 5)

        // snippet: misfit
        var box = Record(recordType: "Boxes")
        box["number"] = 3  // the field becomes INT64
        box = try await database.save(box)

        box["number"] = 2.5
        do {
            try await database.save(box)
        } catch CabinetError.Code.invalidArguments {
            print("A fraction does not fit an INT64 field.")
        }
        // end
        #expect(try await database.record(for: box.recordID)["number"] as? Int == 3)
    }

    @Test func copies() async throws {
        // snippet: copies
        let item = Record(recordType: "Items")
        var copy = item
        copy["name"] = "Bread"  // item is unchanged

        let saved = try await database.save(copy)  // copy is unchanged
        let tag = saved.recordChangeTag  // copy.recordChangeTag is nil
        // end
        #expect(item["name"] == nil && tag != nil && copy.recordChangeTag == nil)

        // snippet: changed
        var edited = saved
        edited["number"] = 3
        let changed = edited.changedKeys()  // ["number"]
        let all = edited.allKeys()  // ["name", "number"]
        // end
        #expect(changed == ["number"] && all == ["name", "number"])
    }

    @Test func identity() async throws {
        // snippet: identity
        let byChance = Record(recordType: "Items")
        let byName = Record(recordType: "Settings", recordID: "settings")
        try await database.save(byName)

        let settings = try await database.record(for: "settings")
        // end
        #expect(byChance.recordID.recordName.count == 36 && settings.recordType == "Settings")
    }
}
