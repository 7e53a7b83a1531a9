import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Names, values and requests that are malicious or meaningless.
@Suite struct HostileQueryTests {
    /// Runs a test in a container on memory, and in one on SQLite.
    private func withContainers(_ body: (Container) async throws -> Void) async throws {
        let store = Store()
        let backends: [any StorageBackend] = [MemoryBackend(), store.backend]
        for backend in backends {
            let container = try Container(
                identifier: "com.example.hunt", backend: backend, account: Account(userRecordName: "_anna"))
            try await body(container)
        }
    }

    /// SQL has tables and functions of these names, which a record type's table must not hide.
    @Test(arguments: ["json_each", "JSON_EACH", "pragma_index_list", "pragma_module_list", "sqlite_master", "rtree"])
    func typesThatAreNamedAsWhatStatementsUse(recordType: String) async throws {
        try await withContainers { container in
            let database = container.privateDatabase
            var record = Record(recordType: recordType, recordID: RecordID(recordName: "a"))
            record["numbers"] = [1, 2]
            record["json_each"] = 5
            record["list"] = Reference(recordID: record.recordID, action: .none)
            record["place"] = Location(latitude: 1, longitude: 2)
            record["text"] = "milk"
            try await database.save(record)
            var schema = Schema()
            schema[recordType]["place"] = Schema.Field(.location, .queryable)
            schema[recordType]["text"] = Schema.Field(.string, [.searchable, .queryable])
            try await container.apply(schema)
            for format in [
                "ANY numbers == 2", "json_each == 5", "list.json_each == 5", "text == 'milk'", "self CONTAINS 'milk'",
                "list.list.text == 'milk'",
            ] {
                let query = Query(recordType: recordType, filter: try Filter(format), sortedBy: [Sort("list.text")])
                #expect(try await database.allRecords(matching: query).count == 1, "\(format)")
                #expect(try await database.explain(query).description.isEmpty == false)
            }
        }
    }

    /// An expression that takes too long for a record in one zone must not fail in another.
    @Test func recordsOfOtherZonesAreNotEvaluated() async throws {
        try await withContainers { container in
            let database = container.privateDatabase
            let zones = ["A", "B"].map { RecordZone(zoneName: $0) }
            for zone in zones { try await database.save(zone) }
            for (zone, text) in zip(zones, [String(repeating: "a", count: 60), "ab"]) {
                for number in 0..<3 {
                    var record = Record(
                        recordType: "Items", recordID: RecordID(recordName: "r\(number)", zoneID: zone.zoneID))
                    record["kind"] = "x"
                    record["text"] = text
                    try await database.save(record)
                }
            }
            var schema = Schema()
            schema["Items"]["kind"] = Schema.Field(.string, .queryable)
            try await container.apply(schema)
            let queries = ["text MATCHES '(a|aa)*b'", "kind == 'x' AND text MATCHES '(a|aa)*b'"]
            for format in queries {
                for order in [[], [Sort("text")], [Sort("kind")]] {
                    let query = Query(recordType: "Items", filter: try Filter(format), sortedBy: order)
                    let zoneID = zones[1].zoneID
                    #expect(try await database.allRecords(matching: query, inZoneWith: zoneID).count == 3)
                    #expect(try await database.count(matching: query, inZoneWith: zoneID) == 3)
                }
            }
        }
    }

    /// A prefix of the pattern occurs again and again in the text; the time must not be the product of both lengths.
    @Test(.timeLimit(.minutes(15))) func longTextsAreSearchedInLinearTime() async throws {
        try await withContainers { container in
            let database = container.privateDatabase
            let part = String(repeating: "a", count: 100_000)
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "r"))
            record["text"] = part + part
            record["part"] = part + "b"
            try await database.save(record)
            let formats = [("text CONTAINS part", 0), ("part IN text", 0), ("NOT text CONTAINS part", 1)]
            for (format, count) in formats {
                let query = Query(recordType: "Items", filter: try Filter(format))
                #expect(try await database.count(matching: query) == count, "\(format)")
            }
            let found = Query(recordType: "Items", filter: try Filter("text CONTAINS %@", part + "b"))
            #expect(try await database.count(matching: found) == 0)
        }
    }

    /// Values that no save writes into most columns, as SQL.
    private static let valuesByHand = [
        "12", "NULL", "'text'", "x'00ff'", "1e999", "'[1,'", "'[\"a\\'", "'{\"latitude\":}'", "'[{}]'",
    ]

    @Test("Queries of a file that was changed by hand find something, or their error says so", arguments: valuesByHand)
    func changedByHand(value: String) async throws {
        let schema = StoredSchema(recordTypes: [
            "Items": [
                "name": .string, "n": .int64, "score": .double, "list": .reference, "tags": .list(of: .string),
                "numbers": .list(of: .int64), "others": .list(of: .reference), "when": .timestamp, "place": .location,
            ],
            "Lists": ["name": .string, "owner": .reference],
            "Owners": ["city": .string],
        ])
        let store = Store()
        try await store.backend.write(.public) { transaction in
            for (type, fields) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
                let sorted = fields.sorted { $0.key < $1.key }
                try await transaction.add(sorted.map { StoredField(name: $0.key, type: $0.value) }, to: type)
            }
            let items = (0..<4).map { number in
                StoredRecord(
                    "item\(number)",
                    [
                        ("name", .string("Item \(number)")), ("n", .int64(Int64(number))), ("score", .double(0.25)),
                        ("list", .reference(Reference("list"))), ("tags", .list(.string(["t\(number)", "all"]))),
                        ("numbers", .list(.int64([Int64(number)]))),
                        ("place", .location(Location(latitude: 1, longitude: 2))),
                        ("others", .list(.reference([Reference("list", .none)]))),
                    ])
            }
            let list = [("name", FieldValue.string("List")), ("owner", .reference(Reference("owner")))]
            let others = [
                StoredRecord("owner", type: "Owners", [("city", .string("berlin"))]),
                StoredRecord("list", type: "Lists", list),
            ]
            _ = try await transaction.insertWithSchema(others + items)
        }
        for column in ["name", "n", "score", "list", "tags", "numbers", "others", "place", "\"when\""] {
            try store.sql("UPDATE \"Items\" SET \(column) = \(value) WHERE \"___recordID\" = 'item1'")
        }
        for format in [
            "n * 2 + score == 7", "n / score == 1", "name ==[cd] 'a'", "name LIKE '?'", "tags CONTAINS 'a'",
            "tags[0] == 'a'", "tags.@count == 1", "ANY numbers == 1", "list.name == 'List 1'", "list.owner.city == 'x'",
            "others CONTAINS nil", "ANY tags MATCHES 'a+'",
        ] {
            let plan = try QueryPlan(
                recordType: "Items", filter: Filter(format),
                order: [
                    Sort("name", options: .numeric), Sort("place", distanceFrom: Location(latitude: 1, longitude: 1)),
                ],
                fields: FieldTypes(of: "Items", in: schema))
            let queries: [(String, @Sendable (any StorageSnapshot) async throws -> Void)] = [
                ("records", { _ = try await $0.records(matching: plan) }),
                ("sum", { _ = try await $0.value(of: .sum, over: "n", matching: plan) }),
                ("counts", { _ = try await $0.counts(by: "name", matching: plan) }),
            ]
            for (name, query) in queries {
                do {
                    try await store.backend.read(.public) { try await query($0) }
                } catch {
                    #expect((error as? CabinetError)?.code == .internalError, "\(name) of \(format): \(error)")
                }
            }
        }
    }

    @Test func schemasOfManyFields() async throws {
        try await withContainers { container in
            var schema = Schema()
            for number in 0..<10_000 { schema["Wide"]["field\(number)"] = Schema.Field(.int64, .queryable) }
            do {
                try await container.apply(schema)
                #expect(try await container.schema()["Wide"].fields.count == 10_000)
            } catch let error as CabinetError {
                #expect(error.code == .invalidArguments || error.code == .limitExceeded, "\(error)")
                #expect(try await container.schema()["Wide"].fields.isEmpty)
            }
            var record = Record(recordType: "Wide")
            record["field1"] = 1
            try await container.privateDatabase.save(record)
        }
    }

    @Test(arguments: ["a\"b", "a'b", "a b", "a;DROP TABLE Items", "ünï", "", "_x", "a.b", "a\0b", "@count", "recordID"])
    func namesOfStrangers(name: String) async throws {
        try await withContainers { container in
            let database = container.privateDatabase
            try await database.save(Record(recordType: "Items"))
            var schema = Schema()
            schema["Items"][name] = Schema.Field(.int64)
            await #expect(throws: CabinetError.self) { try await container.apply(schema) }
            schema = Schema()
            schema["Items"].indexes = [[name, "x"]]
            await #expect(throws: CabinetError.self) { try await container.apply(schema) }
            for filter in [
                Filter.comparison(Filter.Comparison(.field(name), .equal, .constant(.int64(1)))),
                Filter.comparison(Filter.Comparison(.member(.field("x"), name), .equal, .constant(.int64(1)))),
            ] {
                // A name that a field cannot have is nil, or refused; it is never more than a name.
                let query = Query(recordType: "Items", filter: filter, sortedBy: [Sort(name)])
                _ = try? await database.allRecords(matching: query)
                _ = try? await database.explain(query)
                let _: Double? = try? await database.sum(of: name, matching: query)
                _ = try? await database.counts(by: name, matching: query)
            }
            #expect(try await database.count(matching: Query(recordType: "Items", filter: .constant(true))) == 1)
        }
    }

    /// NaN has no position in an order.
    @Test func invalidPositions() throws {
        let fields: FieldTypes = ["at": .timestamp, "place": .location]
        let nowhere = Date(timeIntervalSinceReferenceDate: .nan)
        for (sort, value) in [
            (Sort("at"), FieldValue.timestamp(nowhere)), (Sort("creationDate"), .timestamp(nowhere)),
            (Sort("place", distanceFrom: Location(latitude: 0, longitude: 0)), .double(.nan)),
        ] {
            #expect(throws: CabinetError.self, "\(sort)") {
                try QueryPlan(
                    recordType: "Items", filter: .constant(true), order: [sort],
                    position: QueryPosition(values: [value], insertionNumber: 1), fields: fields)
            }
        }
    }

    /// The deepest and longest filters that validation accepts have the same results.
    @Test func greatFilters() async throws {
        try await withContainers { container in
            let database = container.privateDatabase
            for number in 0..<20 {
                var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
                record["n"] = number
                record["s"] = "text \(number)"
                record["list"] = Reference(recordID: record.recordID, action: .none)
                try await database.save(record)
            }
            let path = [String](repeating: "list", count: 99).joined(separator: ".") + ".n"
            let equal = Filter.comparison(Filter.Comparison(.field(path), .equal, .constant(.int64(3))))
            let long = Filter.Expression.list((0..<40_000).map { .constant(.string("text \($0 * 10)")) })
            let filters: [(Filter, Int)] = [
                (equal, 1), (.or([equal, equal]), 1), (.and((0..<200).map { _ in equal }), 1),
                (.comparison(Filter.Comparison(.field("s"), .in, long)), 2),
                (.comparison(Filter.Comparison(.field("s"), .in, long, options: [.caseInsensitive])), 2),
                (.not(.comparison(Filter.Comparison(.field("list.s"), .in, long))), 18),
                (.or((0..<2_000).map { .field("n") == $0 * 7 }), 3),
                (.or((0..<40).map { _ in .and((0..<40).map { _ in .field("list.n") != 3 }) }), 19),
            ]
            for (filter, count) in filters {
                let query = Query(recordType: "Items", filter: filter, sortedBy: [Sort(path)])
                #expect(try await database.count(matching: query) == count)
                #expect(try await database.allRecords(matching: query).count == count)
            }
        }
    }
}
