import Foundation
import Testing

@testable import Cabinet

/// Each operator on declared fields makes the filter that its text describes.
@Suite("Filters, orders and aggregates of typed fields")
struct TypedFilterTests {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.filters", backend: MemoryBackend()).privateDatabase
    }

    private var boxes: Table<Boxes> { database.table(Boxes.self) }

    @Test("Operators between two fields, and options, are those of the filter language")
    func operators() throws {
        let pairs: [((Boxes) -> Filter, String)] = [
            ({ $0.number < $0.words.count }, "number < words[SIZE]"),
            ({ $0.number <= $0.words.count }, "number <= words[SIZE]"),
            ({ $0.number > $0.words.count }, "number > words[SIZE]"),
            ({ $0.number >= $0.words.count }, "number >= words[SIZE]"),
            ({ $0.name == $0.shelf.to.name }, "name == shelf.name"),
            ({ $0.name != $0.shelf.to.name }, "name != shelf.name"),
            ({ $0.words.first == "a" }, "words[FIRST] == 'a'"),
            ({ $0.words.last == "a" }, "words[LAST] == 'a'"),
            ({ $0.words[1] == "a" }, "words[1] == 'a'"),
            ({ $0.name.isIn($0.words) }, "name IN words"),
            ({ $0.words.contains($0.name) }, "words CONTAINS name"),
            ({ $0.name.hasSuffix("a", options: .caseInsensitive) }, "name ENDSWITH[c] 'a'"),
            ({ $0.name.like("a*", options: .diacriticInsensitive) }, "name LIKE[d] 'a*'"),
            ({ $0.name.matches("a.*", options: .caseInsensitive) }, "name MATCHES[c] 'a.*'"),
            ({ $0.number + $0.words.count > 3 }, "number + words[SIZE] > 3"),
            ({ $0.number - $0.words.count > 3 }, "number - words[SIZE] > 3"),
            ({ $0.number * $0.words.count > 3 }, "number * words[SIZE] > 3"),
            ({ $0.number / $0.words.count > 3 }, "number / words[SIZE] > 3"),
            ({ $0.number.toThePower(2) > 3 }, "number ** 2 > 3"),
            (
                { $0.referring(Boxes.self, by: \.inside).isEmpty },
                "SUBQUERY(Boxes.inside, $x, TRUEPREDICATE).@count == 0"
            ),
            (
                { $0.referring(Boxes.self, by: \.others) { $0.number > 3 && $0.isOpen == true }.count >= $0.number },
                "SUBQUERY(Boxes.others, $x, $x.number > 3 AND $x.isOpen == YES).@count >= number"
            ),
            (
                { $0.referring(Boxes.self, by: \.owner) { $0.shelf.to.name == "a" }.count != 1 },
                "SUBQUERY(Boxes.owner, $x, $x.shelf.name == 'a').@count != 1"
            ),
            (
                { $0.place.distance(to: $0.inside.to.place) < 5.5 },
                "distanceToLocation:fromLocation:(place, inside.place) < 5.5"
            ),
        ]
        for (typed, text) in pairs {
            let expected = try Filter(text)
            #expect(typed(boxes.fields) == expected, "\(text)")
        }
        #expect(boxes.fields.creationDate.following("shelf").following("inside").key == "inside.shelf.creationDate")
    }

    @Test("Orders keep their options and directions")
    func orders() {
        let here = Location(latitude: 1, longitude: 2)
        #expect(boxes.fields.name.sorted(options: .numeric) == Sort("name", options: .numeric))
        #expect(boxes.fields.name.sorted(ascending: false, options: []) == Sort("name", ascending: false))
        let crowded = boxes.fields.referring(Boxes.self, by: \.inside).count
        #expect(crowded.sortDescriptors == [Sort(countOf: "Boxes", referringBy: "inside")])
        #expect(crowded.descending == Sort(countOf: "Boxes", referringBy: "inside", ascending: false))
        let far = boxes.fields.place.distance(from: here, ascending: false)
        #expect(far == Sort("place", distanceFrom: here, ascending: false))
    }

    @Test("Aggregates, also by group, are of the records that the filter finds")
    func aggregates() async throws {
        for number in 0..<4 {
            try await boxes.save {
                $0.name = "box \(number)"
                $0.number = number
                $0.isOpen = number == 3
            }
        }
        #expect(try await boxes.count { $0.number == 1 } == 1)
        #expect(try await boxes.exists { $0.number == 7 } == false)
        #expect(try await boxes.sum(of: \.number) { $0.number < 3 } == 3)
        #expect(try await boxes.average(of: \.number) { $0.number < 3 } == 1)
        #expect(try await boxes.minimum(of: \.number) { $0.number > 1 } == 2)
        #expect(try await boxes.maximum(of: \.number) { $0.number < 2 } == 1)
        #expect(try await boxes.counts(by: \.isOpen) { $0.number > 1 } == [false: 1, true: 1])
        #expect(try await boxes.sums(of: \.number, by: \.isOpen) { $0.number > 1 } == [false: 2, true: 3])
        #expect(try await boxes.averages(of: \.number, by: \.isOpen) { $0.number > 0 } == [false: 1.5, true: 3])
        #expect(try await boxes.minima(of: \.number, by: \.isOpen) { $0.number > 0 } == [false: 1, true: 3])
        #expect(try await boxes.maxima(of: \.number, by: \.isOpen) { $0.number < 2 } == [false: 1])
        let filter: Filter = .field("number") > 2
        let expected = try await database.explain(Query(recordType: "Boxes", filter: filter))
        #expect(try await boxes.explain { $0.number > 2 }.description == expected.description)
    }

    private struct Shape: JSONRecordValue, Hashable {
        var path: String
        var width: Int
    }

    private struct Shapes: RecordFields {
        static let recordType = "Shapes"
        let shape = Field<Shape?>("shape")
    }

    @Test("Two stored texts that are one value make no group, and JSON keeps its slashes")
    func equalGroups() async throws {
        let shapes = database.table(Shapes.self)
        let saved = try await shapes.save { $0.shape = Shape(path: "a/b", width: 1) }
        #expect(saved.record["shape"] as? String == #"{"path":"a/b","width":1}"#)
        #expect(try await shapes.counts(by: \.shape) == [Shape(path: "a/b", width: 1): 1])
        var record = Record(recordType: "Shapes")
        record["shape"] = #"{"width":1,"path":"a/b"}"#
        try await database.save(record)
        let error = await #expect(throws: CabinetError.self) { try await shapes.counts(by: \.shape) }
        #expect(error?.fieldKey == "shape" && error?.message.contains("Use the untyped call.") == true)
    }

    private struct Order: JSONRecordValue, Equatable {
        struct Fields: JSONFields {
            let customer = Field<String>("customer.name")
            let isPaid = Field<Bool>("isPaid")
            let due = Field<Date?>("due")
            let colour = Field<Colour?>("colour")
            let size = Field<Size?>("size")
            let weight = Field<Double>("weight", default: 1)
        }

        enum CodingKeys: String, CodingKey {
            case customer = "customer.name"
            case isPaid, due, colour, size, weight
        }

        var customer: String
        var isPaid: Bool
        var due: Date?
        var colour: Colour?
        var size: Size?
        var weight = 1.5
    }

    private struct Orders: RecordFields {
        static let recordType = "Orders"
        let order = Field<Order?>("order")
        let previous = Link<Orders>("previous")
    }

    @Test("Members of JSON are filtered, sorted, counted and reached through links, with their types")
    func json() async throws {
        let orders = database.table(Orders.self)
        let date = Date(timeIntervalSinceReferenceDate: 1234.5)
        let size = Size(width: 2, height: 7)
        let first = try await orders.save {
            $0.order = Order(customer: "Ada", isPaid: true, due: date, colour: .red, size: size)
        }
        let second = try await orders.save {
            $0.order = Order(customer: "Ben", isPaid: false, weight: 2)
            $0.previous = first.id
        }
        let filters: [(expected: [Typed<Orders>], filter: (Orders) -> Filter)] = [
            ([first], { $0.order.json.customer == "Ada" && $0.order.json.isPaid == true }),
            ([first], { $0.order.json.due == date && $0.order.json.colour == .red }),
            ([second], { $0.order.json.due == nil && $0.order.json.weight > 1.5 }),
            ([first], { $0.order.json.size.json.width < $0.order.json.size.json.height }),
            ([first], { $0.order.json.size == size }),
            ([second], { $0.previous.to.order.json.customer.hasPrefix("A") }),
            ([first], { $0.referring(Orders.self, by: \.previous) { $0.order.json.isPaid == false }.count > 0 }),
        ]
        for (expected, filter) in filters {
            #expect(try await orders.all(where: filter).map(\.id) == expected.map(\.id), "\(filter(Orders()))")
        }
        #expect(try await orders.all(by: \.order.json.weight.descending).map(\.id) == [second.id, first.id])
        #expect(try await orders.all(by: \.order.json.customer).map(\.id) == [first.id, second.id])
        #expect(try await orders.sum(of: \.order.json.weight) == 3.5)
        #expect(try await orders.counts(by: \.order.json.isPaid) == [true: 1, false: 1])
        #expect(Orders().order.json.customer.key == "order.@string.customer~1name")
        #expect(Orders().order.json.size.json.width.key == "order.@string.size.@int64.width")
    }
}
