public import Cabinet
import Foundation
import Synchronization
import Testing

enum Kind: String, RecordValue { case food, drink }

// snippet: declarations
struct Lists: RecordFields {
    static let recordType = "Lists"
    let name = Field<String>("name")
}

struct Tags: RecordFields {
    static let recordType = "Tags"
    let name = Field<String>("name")
}

struct Items: RecordFields {
    static let recordType = "Items"
    let name = Field<String>("name", index: .sortable)
    let number = Field<Int>("number", default: 1)
    let kind = Field<Kind?>("kind")  // enum Kind: String, RecordValue
    let list = Link<Lists>("list", onDelete: .deleteSelf)
    let tags = Links<Tags>("tags", onDelete: .nullify)
    let photo = Field<Asset?>("photo")
}
typealias Item = Typed<Items>
// end

// snippet: helpers
extension Typed<Items> {
    var title: String {
        self.number == 1 ? self.name : "\(self.number) × \(self.name)"
    }
}
// end

// snippet: json
struct Address: JSONRecordValue, Equatable {
    struct Fields: JSONFields {
        let city = Field<String>("city", index: .queryable)
    }

    var street: String
    var city: String
}

struct Shops: RecordFields {
    static let recordType = "Shops"
    let name = Field<String>("name")
    let address = Field<Address?>("address")
    let place = Field<Location?>("place")
    let openingHours = Field<[Int]>("openingHours")
    let website = Field<URL?>("website")
}
// end

// snippet: required
struct Notes: RecordFields {
    struct Required: Encodable {
        var text: String
        var list: Typed<Lists>.ID
    }

    static let recordType = "Notes"
    let text = Field<String>("text")
    let list = Link<Lists>("list", onDelete: .deleteSelf)
    let isPinned = Field<Bool>("isPinned", default: false)
}
// end

// snippet: requiredPublic
/// Labels of notes.
public struct Labels: RecordFields {
    /// The values that a label must have.
    public struct Required: Encodable, Sendable {
        var text: String

        /// Creates the values.
        public init(text: String) { self.text = text }
    }

    /// The record type.
    public static let recordType = "Labels"
    /// The text.
    public let text = Field<String>("text")

    /// Creates the declaration.
    public init() {}
}
// end

// snippet: oneOf
struct Comments: RecordFields {
    static let recordType = "Comments"
    let text = Field<String>("text")
    let subject = Link<OneOf<Lists, Items>>("subject")
    let answerTo = Link<Comments>("answerTo", onDelete: .deleteSelf)
}
// end

// snippet: codable
struct Groceries: Codable, Equatable {
    var name: String
    var number: Int
    var list: Typed<Lists>.ID?
}
// end

@Suite("The article about typed fields: its programs run")
struct TypedFields {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.typed", backend: MemoryBackend()).privateDatabase
    }

    @Test("The program that shows the style compiles as written, and prints what it should")
    func program() async throws {
        let groceries = try await database.table(Lists.self).save { $0.name = "Groceries" }
        var lines: [String] = []
        func print(_ values: Any...) { lines.append(values.map { "\($0)" }.joined(separator: " ")) }
        // snippet: program
        let items = database.table(Items.self)
        var milk = try await items.save {
            $0.name = "Milk"
            $0.number = 2
            $0.list = groceries.id
        }
        try await items.save { $0.name = "Bread" }
        milk = try await items.record(for: milk.id)

        let page = try await items.all(
            where: {
                $0.list == groceries.id && $0.number > 1
                    || $0.name.hasPrefix("Br")
            }, by: \.name, limit: 50)
        print(page.map(\.name))

        let inRome = try await items.count { $0.list.to.name == "Groceries" }
        let perKind = try await items.counts(by: \.kind)  // [Kind?: Int]
        milk = try await items.update(milk.id) { $0.number += 1 }
        print(inRome, perKind[nil] ?? 0, milk.number)

        for try await open in items.observe(
            where: { $0.number > 0 }, by: \.name)
        {
            print(open.map(\.title))
            break
        }
        // end
        #expect(lines == [#"["Bread", "Milk"]"#, "1 2 3", #"["Bread", "3 × Milk"]"#])
    }

    @Test func filters() async throws {
        let items = database.table(Items.self)
        let tag = try await database.table(Tags.self).save { $0.name = "sweet" }
        try await items.save {
            $0.name = "Cake"
            $0.number = 3
            $0.tags = [tag.id]
            $0.kind = .food
        }
        try await items.save { $0.name = "Water" }
        // snippet: filters
        let filters: [(Items) -> Filter] = [
            { $0.number.isIn(2...5) && $0.kind == .food },
            { $0.kind != nil && !($0.name == "Milk") },
            { $0.name.contains("CA", options: .caseInsensitive) },
            { $0.name.matches("C.*e") || $0.name.isIn(["Bread"]) },
            { $0.number * 2 > 5 && $0.number - 1 < 3 },
            { $0.tags.contains(tag.id) && $0.tags.count == 1 },
            { $0.tags.any.to.name == "sweet" },
            { $0.creationDate < Date.distantFuture && $0.number > 2 },
        ]
        // end
        for filter in filters {
            let names = try await items.all(where: filter).map(\.name)
            #expect(names == ["Cake"], "\(filter(items.fields))")
        }
        // snippet: orders
        let byName = try await items.all(by: \.name)
        let byNumber = try await items.all(by: \.number.descending)
        let byBoth = try await items.all(by: {
            [$0.list.to.name.ascending, $0.name.sorted(options: .numeric)]
        })
        // end
        #expect([byName, byNumber, byBoth].map { $0.map(\.name) } == Array(repeating: ["Cake", "Water"], count: 3))
    }

    @Test func referring() async throws {
        let (lists, items) = (database.table(Lists.self), database.table(Items.self))
        let food = try await lists.save { $0.name = "Groceries" }
        try await lists.save { $0.name = "Tools" }
        try await items.save {
            $0.name = "Cake"
            $0.number = 3
            $0.list = food.id
        }
        // snippet: referring
        let empty = try await lists.all(where: {
            $0.referring(Items.self, by: \.list).isEmpty
        })
        let unfinished = try await lists.all(
            where: {
                $0.referring(Items.self, by: \.list) { $0.number > 2 }.count > 0
            },
            by: { $0.referring(Items.self, by: \.list).count.descending })
        // end
        #expect(empty.map(\.name) == ["Tools"])
        #expect(unfinished.map(\.name) == ["Groceries"])
    }

    @Test func aggregates() async throws {
        let items = database.table(Items.self)
        try await items.save {
            $0.name = "Cake"
            $0.number = 3
            $0.kind = .food
        }
        try await items.save { $0.name = "Water" }
        // snippet: aggregates
        let total = try await items.sum(of: \.number)  // Int
        let most = try await items.maximum(of: \.number)  // Int?
        let sums = try await items.sums(of: \.number, by: \.kind)
        let latest = try await items.maximum(of: \.creationDate)  // Date?
        // end
        #expect(total == 4 && most == 3 && sums == [.food: 3, nil: 1] && latest != nil)
    }

    @Test func crossing() async throws {
        let items = database.table(Items.self)
        // snippet: crossing
        var record = Record(recordType: "Items")
        record["name"] = "Milk"
        record["color"] = "white"  // a field of another version

        var milk = try Item(record)
        milk.number = 2
        milk = try await items.save(milk)
        let color = milk.record["color"] as? String
        // end
        #expect(color == "white" && milk.number == 2 && milk.kind == nil)
    }

    @Test func links() async throws {
        let lists = database.table(Lists.self)
        let items = database.table(Items.self)
        let groceries = try await lists.save { $0.name = "Groceries" }
        try await items.save {
            $0.name = "Milk"
            $0.list = groceries.id
        }
        // snippet: links
        let page = try await items.all(by: \.name, including: \.list, \.tags)
        for item in page {
            let list = page[item.list]?.name ?? "no list"
            print(item.name, "on", list, page[item.tags].map(\.name))
        }

        let children = try await lists.children(
            of: groceries.id, through: \Items.list)
        // end
        #expect(page[page[0].list]?.name == "Groceries" && children.map(\.name) == ["Milk"])
    }

    @Test func required() async throws {
        let notes = database.table(Notes.self)
        let groceries = try await database.table(Lists.self).save { $0.name = "Groceries" }
        // snippet: requiredUse
        let note = try await notes.save(
            .init(text: "Ask for bags", list: groceries.id)
        ) { $0.isPinned = true }
        // end
        #expect(note.text == "Ask for bags" && note.list == groceries.id && note.isPinned)
        // snippet: requiredMake
        var draft = try notes.make(
            .init(text: "Ask for boxes", list: groceries.id))
        draft.isPinned = true
        try await database.save(note, draft)
        // end
        #expect(try await notes.count { $0.isPinned == true } == 2)
        let label = try await database.table(Labels.self).save(.init(text: "old"))
        #expect(label.text == "old")
    }

    @Test func batches() async throws {
        let (lists, items) = (database.table(Lists.self), database.table(Items.self))
        let oldList = try await lists.save { $0.name = "Old" }
        let bread = try await items.save { $0.name = "Bread" }
        // snippet: batches
        var list = lists.make()
        list.name = "Groceries"
        var milk = items.make()
        milk.name = "Milk"
        milk.list = list.id
        (list, milk) = try await database.save(
            list, milk, deleting: [oldList.id])

        let (_, saved) = try await database.save([list], [milk, bread])
        // end
        #expect(saved.map(\.name) == ["Milk", "Bread"])
        #expect(try await lists.all().map(\.name) == ["Groceries"])
    }

    @Test func conflicts() async throws {
        let items = database.table(Items.self)
        var milk = try await items.save { $0.name = "Milk" }
        try await items.update(milk.id) { $0.number = 5 }
        milk.number = 3
        // snippet: conflicts
        milk = try await items.save(milk) { conflict in
            var item = try conflict.merged(whenBothChanged: .server)
            if try conflict.haveBothChanged(\.number) {
                item.number = max(item.number, conflict.client.number)
            }
            return item
        }
        // end
        #expect(milk.number == 5)
    }

    @Test func oneOfSeveral() async throws {
        let items = database.table(Items.self)
        let comments = database.table(Comments.self)
        let milk = try await items.save { $0.name = "Milk" }
        // snippet: oneOfUse
        let comment = try await comments.save {
            $0.text = "Buy the fresh one"
            $0.subject = .init(milk.id)
        }
        let same = try await comments.all(where: { $0.subject == milk.id })
        let item = comment.subject?.id(in: Items.self)
        let aboutMilk = try await comments.count {
            $0.subject.to(Items.self).name == "Milk"
        }
        // end
        #expect(item == milk.id && aboutMilk == 1 && same == [comment])
    }

    @Test func codable() async throws {
        let items = database.table(Items.self)
        let groceries = try await database.table(Lists.self).save { $0.name = "Groceries" }
        // snippet: codableUse
        let value = Groceries(name: "Milk", number: 2, list: groceries.id)
        let milk = try await items.save(encoding: value)
        let copy = try milk.decode(as: Groceries.self)
        // end
        #expect(copy == value)
    }

    @Test func schema() async throws {
        // snippet: schema
        let container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend(),
            schema: .strict(Schema(Items.self, Lists.self, Tags.self)))
        // end
        var record = Record(recordType: "Items")
        record["nmae"] = "Milk"
        let error = await #expect(throws: CabinetError.self) {
            try await container.privateDatabase.save(record)
        }
        #expect(error?.message.contains("Did you mean 'name'?") == true, "\(error?.message ?? "")")
    }

    @Test func jsonAndLocations() async throws {
        let shops = database.table(Shops.self)
        let here = Location(latitude: 41.9, longitude: 12.5)
        // snippet: shops
        let shop = try await shops.save {
            $0.name = "Corner shop"
            $0.address = Address(street: "Via Appia", city: "Rome")
            $0.place = here
            $0.openingHours = [8, 20]
        }
        let near = try await shops.all(
            where: { $0.place.distance(to: here) < 500 },
            by: { $0.place.distance(from: here) })
        // end
        // snippet: jsonFilters
        let inRome = try await shops.all(
            where: { $0.address.json.city == "Rome" }, by: \.address.json.city)
        let perCity = try await shops.counts(by: \.address.json.city)
        // end
        #expect(inRome == [shop] && perCity == ["Rome": 1])
        #expect(near == [shop] && shop.address?.city == "Rome")
        #expect(shop.record["address"] as? String == #"{"city":"Rome","street":"Via Appia"}"#)
        #expect(try await shops.count { $0.openingHours.any > 10 } == 1)
    }
}
