import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("Ordered bytes, constraints, and pages from an index")
struct OrderedIndexTests {
    private static let fields: FieldTypes = ["text": .string, "n": .int64, "d": .double, "ref": .reference]

    private static let records: [StoredRecord] = {
        var generator = SeededGenerator(seed: 7)
        return (0..<400).map { index in
            let text = ["", "a", "a\0", "A", "ab", "b", "é", "e\u{301}", "\u{FFFF}", "👩"].randomElement(
                using: &generator)
            let values: [FieldValue?] = [
                index % 7 == 0 ? nil : text.map { .string($0) },
                index % 5 == 0 ? nil : .int64(.random(in: -3...3, using: &generator)),
                index % 4 == 0 ? nil : .double(Double.random(in: -3...3, using: &generator).rounded()),
                .reference(
                    Reference(recordID: RecordID(recordName: "r\(index % 3)"), action: index % 2 == 0 ? .none : .deny)),
            ]
            return StoredRecord(
                recordID: RecordID(
                    recordName: "record\(index / 2)", zoneID: RecordZone.ID(zoneName: "zone\(index % 2)")),
                recordType: "Items", sequenceNumber: Int64(index),
                creationDate: Date(timeIntervalSinceReferenceDate: 0),
                creatorName: "u", modificationDate: Date(timeIntervalSinceReferenceDate: 0), lastModifierName: "u",
                fields: FieldValues(names: FieldNames(["text", "n", "d", "ref"]), values: values))
        }
    }()

    private static let values: [FieldValue?] = {
        let numbers: [Double] = [
            -.infinity, -1e300, -9_223_372_036_854_775_808, -2.5, -1, -0.0, 0, .leastNonzeroMagnitude, 1, 1.5,
            9_007_199_254_740_992, 9_007_199_254_740_994, 9_223_372_036_854_774_784, 9_223_372_036_854_775_808,
            .infinity,
        ]
        let integers: [Int64] = [
            .min, .min + 1, -9_007_199_254_740_993, -1, 0, 1, 2, 9_007_199_254_740_991, 9_007_199_254_740_993,
            9_223_372_036_854_774_784, 9_223_372_036_854_774_785, .max - 1, .max,
        ]
        let texts = ["", "\0", "\0\0", "a", "a\0", "a\0b", "a\u{1}", "ab", "b", "é", "e\u{301}", "\u{FFFF}", "👩"]
        var values: [FieldValue?] = [nil, .double(.nan)]
        values += numbers.map { .double($0) } + integers.map { .int64($0) } + texts.map { .string($0) }
        values +=
            texts.map { .bytes(Data($0.utf8)) }
            + texts.map { .reference(Reference(recordID: RecordID(recordName: $0), action: .none)) }
        values += numbers.filter(\.isFinite).map { .timestamp(Date(timeIntervalSinceReferenceDate: $0)) }
        return values + [.location(Location(latitude: 1, longitude: 2)), .list(.int64([1])), .list(.string([]))]
    }()

    private static func bytes(_ value: FieldValue?, ascending: Bool = true) -> OrderedBytes {
        var bytes = OrderedBytes()
        bytes.append(value, ascending: ascending)
        return bytes
    }

    @Test("Bytes have the order of the values, and equal values have equal bytes", arguments: [true, false])
    func order(ascending: Bool) {
        for left in Self.values {
            for right in Self.values {
                let expected = FieldValue.sortOrder(left, right)
                let (leftBytes, rightBytes) = (
                    Self.bytes(left, ascending: ascending), Self.bytes(right, ascending: ascending)
                )
                let found = Ordering(leftBytes, rightBytes)
                #expect(
                    found == (ascending ? expected : expected.reversed),
                    "\(String(describing: left)), \(String(describing: right))")
            }
        }
    }

    @Test("Parts end before the next one begins, and a key is in the range of its first parts")
    func parts() throws {
        func key(_ parts: [String]) -> OrderedBytes {
            parts.reduce(into: OrderedBytes()) { $0.append($1) }
        }
        let keys = [["", "b"], ["a", ""], ["a", "b"], ["a\0", ""], ["a\0", "b"], ["ab", "a"], ["b", "a"]].map(key)
        #expect(keys == keys.sorted())
        let range = (key(["a"]).bytes, try #require(key(["a"]).end))
        let found = keys.filter {
            !$0.bytes.lexicographicallyPrecedes(range.0) && $0.bytes.lexicographicallyPrecedes(range.1)
        }
        #expect(found == [key(["a", ""]), key(["a", "b"])])
        #expect(OrderedBytes().end == nil)
        var numbers: [OrderedBytes] = []
        for number in [Int64.min, -1, 0, 1, .max] {
            var bytes = OrderedBytes()
            bytes.append(number)
            numbers.append(bytes)
        }
        #expect(numbers == numbers.sorted())
        var beginning = OrderedBytes()
        beginning.append(textsBeginningWith: "a")
        let texts = ["", "A", "a", "a\0", "ab", "b"].filter { text in
            let bytes = Self.bytes(.string(text)).bytes
            return !bytes.lexicographicallyPrecedes(beginning.bytes)
                && beginning.end.map { bytes.lexicographicallyPrecedes($0) } ?? true
        }
        #expect(texts == ["a", "a\0", "ab"])
    }

    @Test(
        "Every page from an index is the page of the definition",
        arguments: [
            ([Sort("n")], 1), ([Sort("n", ascending: false), Sort("text")], 1),
            ([Sort("n"), Sort("text", ascending: false)], 2),
            ([Sort("text", options: .caseInsensitive), Sort("d")], 2), ([Sort("ref"), Sort("n")], 1), ([Sort("d")], 1),
        ])
    func pages(order: [Sort], indexed: Int) throws {
        let index = OrderedIndex(Array(order.prefix(indexed)), of: Self.records)
        for filter in [Filter.constant(true), try Filter("n > 0 OR text == 'a'"), .constant(false)] {
            var plan = try QueryPlan(recordType: "Items", filter: filter, order: order, limit: 7, fields: Self.fields)
            var count = 0
            while true {
                let page = try index.page(of: plan)
                #expect(page == (try plan.page(of: Self.records)))
                count += page.count
                guard page.count == plan.limit, let last = page.last else { break }
                plan = try plan.continued(after: last)
            }
            #expect(count == (try plan.count(in: Self.records)))
        }
    }

    @Test(
        "A page from an index reads no further than the last value of the page; without an order, no further than its limit"
    )
    func reads() throws {
        let sorted = Self.records.sorted { FieldValue.sortOrder($0.fields["n"], $1.fields["n"]) == .before }
        func reads(_ plan: QueryPlan, sortedKeyCount: Int) throws -> Int {
            var count = 0
            _ = try plan.page(sortedKeyCount: sortedKeyCount) {
                defer { count += 1 }
                return count < sorted.count ? sorted[count] : nil
            }
            return count
        }
        var plan = try QueryPlan(
            recordType: "Items", filter: .constant(true), order: [Sort("n")], limit: 5, fields: Self.fields)
        // 80 records have no number.
        #expect(try reads(plan, sortedKeyCount: 1) == 81)
        #expect(try reads(plan, sortedKeyCount: 0) == 401)
        plan = try plan.with { $0.isOrdered = false }
        #expect(try reads(plan, sortedKeyCount: 0) == 5)
        plan = try QueryPlan(recordType: "Items", filter: .constant(true), limit: 5, fields: Self.fields)
        let byID = Self.records.sorted { $0.insertionNumber < $1.insertionNumber }
        var rest = byID.makeIterator()
        var count = 0
        let page = try plan.page(sortedKeyCount: .max) {
            count += 1
            return rest.next()
        }
        #expect(page == Array(byID.prefix(5)))
        #expect(count == 6)
    }

    @Test("An error of the store's reading ends the page")
    func failure() throws {
        let plan = try QueryPlan(recordType: "Items", filter: .constant(true), fields: Self.fields)
        #expect(throws: CancellationError.self) { try plan.page { throw CancellationError() } }
    }

    @Test(
        "A constraint allows every record that matches, and a search by it finds the page of the definition",
        arguments: [
            "n == 1", "1 == n", "n IN {1, 2}", "n == NIL", "n > 1", "1 > n", "n BETWEEN {-1, 1}", "n == 1 OR n == 2.0",
            "n <= 0.5 AND n > -2",
            "n == 1 AND text BEGINSWITH 'a'", "n > 5", "n == 1 AND n == 2", "NOT n == 1", "n != 1",
            "n == 1 OR text == 'a'", "n IN {}",
            "n == 1 OR n == 1.0", "n IN {2, 1, 2.0, 2}",
        ])
    func constraints(text: String) throws {
        let filter = try Filter(text)
        let index = OrderedIndex([Sort("n")], of: Self.records)
        let plan = try QueryPlan(recordType: "Items", filter: filter, fields: Self.fields)
        let matching = try plan.page(of: Self.records)
        guard let ranges = index.candidates(for: filter) else {
            #expect(filter.constraint(on: "n").isEmpty)
            return
        }
        var found: [StoredRecord] = []
        for range in ranges { for result in range { found.append(try result.get()) } }
        #expect(found.count < Self.records.count)
        // Each record once: the page repeats those that it is given twice.
        #expect(try plan.page(of: found) == matching)
    }

    @Test("An index serves the plans whose order begins with its own, and no other direction, options or distance")
    func serves() throws {
        let index = OrderedIndex([Sort("text"), .descending("n")], of: [])
        let here = Location(latitude: 1, longitude: 2)
        for (order, isServed) in [
            ([Sort("text"), .descending("n"), Sort("d")], true), ([Sort("text"), Sort("n")], false),
            ([Sort("text")], false), ([Sort("text", options: .caseInsensitive), .descending("n")], false),
            ([Sort("place", distanceFrom: here)], false), ([], false),
        ] {
            let fields = FieldTypes(["text": .string, "n": .int64, "d": .double, "place": .location])
            let plan = try QueryPlan(recordType: "Items", filter: .constant(true), order: order, fields: fields)
            #expect(index.serves(plan) == isServed)
        }
        #expect(Sort("place", distanceFrom: here) != Sort("place"))
        let byDate = OrderedIndex([Sort("creationDate")], of: Self.records)
        let plan = try QueryPlan(
            recordType: "Items", filter: .constant(true), order: [Sort("creationDate")], limit: 9, fields: Self.fields)
        #expect(try byDate.page(of: plan) == plan.page(of: Self.records))
    }

    @Test("The description of a constraint")
    func constraintValues() throws {
        #expect(try Filter("n IN {1, 2} AND n > 0").constraint(on: "n").values == [.int64(1), .int64(2)])
        #expect(try Filter("n IN {1, 2} AND n == 2").constraint(on: "n").values == [.int64(2)])
        let range = try Filter("n > 0 AND n >= 1 AND n < 9 AND 5 > n").constraint(on: "n")
        #expect(range.lowest == .int64(1))
        #expect(range.highest == .int64(5))
        #expect(try Filter("text BEGINSWITH 'ab'").constraint(on: "text").beginning == "ab")
        #expect(try Filter("text BEGINSWITH[c] 'ab'").constraint(on: "text").isEmpty)
        #expect(try Filter("text ==[c] 'ab'").constraint(on: "text").isEmpty)
        #expect(try Filter("text IN 'abc'").constraint(on: "text").isEmpty)
        #expect(try Filter("ANY tags == 'a'").constraint(on: "tags").isEmpty)
        #expect(
            Filter.comparison(.init(.field("d"), .equal, .constant(.double(.nan)))).constraint(on: "d").values == [])
        #expect(
            Filter.comparison(.init(.field("d"), .lessThan, .constant(.double(.nan)))).constraint(on: "d").values == [])
        #expect(Filter.constant(false).constraint(on: "n").values == [])
    }
}
