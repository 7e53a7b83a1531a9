import Foundation
import Testing

@testable import Cabinet

@Suite("Strict and growing containers")
struct StrictContainerTests {
    private let schema: Schema = {
        var schema = Schema()
        schema["Items"]["name"] = Schema.Field(.string, [.queryable, .sortable])
        schema["Items"]["number"] = Schema.Field(.int64)
        schema["Items"]["price"] = Schema.Field(.double)
        schema["Items"]["list"] = Schema.Field(.reference)
        schema["Lists"]["title"] = Schema.Field(.string)
        schema["Items"].indexes = [["list", "name"]]
        return schema
    }()

    private func container(
        _ mode: SchemaMode, _ backend: any StorageBackend = MemoryBackend(), account: Account? = .default
    ) throws -> Container {
        try Container(identifier: "com.example.strict", backend: backend, account: account, schema: mode)
    }

    private func record(_ type: String, _ fields: KeyValuePairs<String, (any RecordValue)?>) -> Record {
        var record = Record(recordType: type)
        for (key, value) in fields { record[key] = value }
        return record
    }

    /// Expects an error that names a known name.
    private func expectHint(
        _ hint: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: CabinetError.self, sourceLocation: sourceLocation) { try await body() }
        #expect(error?.code == .invalidArguments, sourceLocation: sourceLocation)
        #expect(
            error?.message.hasSuffix("Did you mean '\(hint)'?") == true, "\(error?.message ?? "")",
            sourceLocation: sourceLocation)
    }

    @Test(
        "Every request refuses unknown types and fields, and asks the store nothing", arguments: Database.Scope.allCases
    )
    func requests(scope: Database.Scope) async throws {
        let backend = CountingBackend()
        let database = try container(.strict(schema), backend).database(with: scope)
        let zone = RecordZone.ID.default
        let badType = Query(recordType: "Itmes")
        let badFilter = Query(recordType: "Items", filter: .field("nmae") == "x")
        let badSort = Query(recordType: "Items", sortedBy: [Sort("list.titel")])
        let good = Query(recordType: "Items", filter: .field("name") == "x", sortedBy: [Sort("list.title")])
        for (query, hint) in [(badType, "Items"), (badFilter, "name"), (badSort, "title")] {
            await expectHint(hint) { _ = try await database.records(matching: query, inZoneWith: zone) }
            await expectHint(hint) { _ = try await database.count(matching: query, inZoneWith: zone) }
            await expectHint(hint) { _ = try await database.sum(of: "price", matching: query, inZoneWith: zone) }
            await expectHint(hint) { _ = try await database.counts(by: "name", matching: query, inZoneWith: zone) }
            await expectHint(hint) { _ = try await database.explain(query, inZoneWith: zone) }
            await expectHint(hint) { try await database.validate(query) }
            await expectHint(hint) { for try await _ in database.observe(query, inZoneWith: zone) {} }
        }
        for query in [badType, badFilter] {
            await #expect(throws: CabinetError.self) { try await database.exists(matching: query, inZoneWith: zone) }
        }
        await expectHint("name") {
            _ = try await database.records(matching: good, inZoneWith: zone, desiredKeys: ["nam"])
        }
        await expectHint("name") {
            for try await _ in database.observe(good, inZoneWith: zone, desiredKeys: ["nam"]) {}
        }
        await expectHint("price") { _ = try await database.sum(of: "prise", matching: good, inZoneWith: zone) }
        await expectHint("price") { _ = try await database.average(of: "prise", matching: good, inZoneWith: zone) }
        await expectHint("price") { _ = try await database.minimum(of: "prise", matching: good, inZoneWith: zone) }
        await expectHint("title") {
            _ = try await database.maximum(of: "list.tittle", matching: good, inZoneWith: zone)
        }
        await expectHint("number") { _ = try await database.counts(by: "numbre", matching: good, inZoneWith: zone) }
        await expectHint("name") {
            _ = try await database.records(for: [RecordID(recordName: "a", zoneID: zone)], desiredKeys: ["nam"])
        }
        if scope != .shared {
            await expectHint("title") {
                _ = try await database.recordZoneChanges(inZoneWith: zone, since: nil, desiredKeys: ["titel"])
            }
        }
        // Observers' reads, which follow a database, are not reads of its records.
        if scope != .shared { #expect(try await database.schema() == Schema()) }
    }

    @Test("A value of another kind is refused by every query")
    func kinds() async throws {
        let database = try container(.strict(schema)).privateDatabase
        for filter in ["name == 3", "list == 'x'", "number CONTAINS 'x'", "price BETWEEN {'a', 'b'}", "name IN {1}"] {
            let query = Query(recordType: "Items", filter: try Filter(filter))
            for body in [
                { _ = try await database.records(matching: query) }, { _ = try await database.count(matching: query) },
                { try await database.validate(query) }, { for try await _ in database.observe(query) {} },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: CabinetError.self) { try await body() }
                #expect(error?.code == .invalidArguments && error?.message.contains("The comparison is") == true)
            }
        }
    }

    @Test("Subscriptions are refused one by one")
    func subscriptions() async throws {
        let database = try container(.strict(schema)).privateDatabase
        func query(_ type: String, _ filter: Filter, _ keys: [String] = []) -> Subscription {
            .query(
                QuerySubscription(recordType: type, filter: filter, options: .firesOnRecordCreation, desiredKeys: keys))
        }
        let bad: [(Subscription, String)] = [
            (query("Item", .constant(true)), "Did you mean 'Items'?"),
            (query("Items", .field("nmae") == "x"), "Did you mean 'name'?"),
            (query("Items", .field("name") == 3), "Expected STRING."),
            (query("Items", .constant(true), ["nam"]), "Did you mean 'name'?"),
            (.recordZone(RecordZoneSubscription(zoneID: .default, recordType: "Itms")), "Did you mean 'Items'?"),
            (.database(DatabaseSubscription(recordType: "List")), "Did you mean 'Lists'?"),
        ]
        let good = [query("Items", .field("name") == "x", ["name"]), .database(DatabaseSubscription())]
        let results = try await database.modifySubscriptions(saving: bad.map(\.0) + good, deleting: []).saveResults
        for (subscription, words) in bad {
            let error = #expect(throws: CabinetError.self) { try results[subscription.subscriptionID]?.get() }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        #expect(try await database.allSubscriptions().count == 2)
    }

    @Test("A growing container finds nothing where a strict one refuses, and validates on request")
    func growing() async throws {
        let database = try container(.growing).privateDatabase
        let query = Query(recordType: "Items", filter: .field("stage") == 3)
        #expect(try await database.allRecords(matching: query).isEmpty)
        await #expect(throws: CabinetError.self) { try await database.validate(query) }
        try await database.save(record("Items", ["stage": "new"]))
        #expect(try await database.allRecords(matching: query).isEmpty)
        let error = await #expect(throws: CabinetError.self) { try await database.validate(query) }
        #expect(error?.message.contains("Expected STRING.") == true)
        try await database.validate(
            Query(recordType: "Items", filter: .field("stage") == "new"), desiredKeys: ["stage"])
        await expectHint("stage") {
            try await database.validate(Query(recordType: "Items"), desiredKeys: ["stge"])
        }
        #expect(try await database.allRecords(matching: Query(recordType: "Itmes")).isEmpty)
    }

    @Test("A schema with another delete rule than the container's is refused")
    func deleteRules() async throws {
        var declared = schema
        declared["Items"]["list"]?.deleteRule = .deleteSelf
        let strict = try container(.strict(declared))
        try await strict.apply(declared)
        try await strict.apply(schema)
        var other = declared
        other["Items"]["list"]?.deleteRule = .deny
        let error = await #expect(throws: CabinetError.self) { try await strict.apply(other) }
        #expect(error?.fieldKey == "list" && error?.message.contains("deleteSelf") == true)
        for field in [Schema.Field(.string, onDelete: .deny), Schema.Field(.list(of: .int64), onDelete: .nullify)] {
            declared["Items"]["name"] = field
            let error = #expect(throws: CabinetError.self) { try container(.strict(declared)) }
            #expect(error?.message.contains("cannot have ON DELETE") == true && error?.fieldKey == "name")
        }
        declared = schema
        declared["Items"]["parent"] = Schema.Field(.reference, onDelete: .deny)
        #expect(throws: CabinetError.self) { try declared.validate() }
    }

    @Test("A reader without an account creates nothing, and is refused if a type differs")
    func withoutAccount() async throws {
        let backend = MemoryBackend()
        let reader = try container(.strict(schema), backend, account: nil).publicDatabase
        let query = Query(recordType: "Items", filter: .field("name") == "Milk", sortedBy: [Sort("price")])
        #expect(try await reader.allRecords(matching: query).isEmpty)
        #expect(try await reader.schema() == Schema())
        let writer = try container(.strict(schema), backend).publicDatabase
        try await writer.save(record("Items", ["name": "Milk", "price": 1]))
        #expect(try await reader.allRecords(matching: query).count == 1)
        var other = schema
        other["Items"]["price"] = Schema.Field(.string)
        let error = await #expect(throws: CabinetError.self) {
            try await container(.strict(other), backend, account: nil).publicDatabase.allRecords(matching: query)
        }
        #expect(error?.message.contains("DOUBLE") == true && error?.message.contains("STRING") == true)
    }

    @Test("The store is asked for its schema once")
    func preparation() async throws {
        let backend = CountingBackend()
        let strict = try container(.strict(schema), backend).privateDatabase
        let query = Query(recordType: "Items")
        _ = try await strict.count(matching: query)
        let reads = backend.reads
        for _ in 0..<5 { _ = try await strict.count(matching: query) }
        #expect(backend.reads == reads + 5)
    }

    @Test("A store that loses its schema gets the declared types again")
    func lostSchema() throws {
        var rule = SchemaRule(schema: StoredSchema(), declared: StrictSchemaRule(StoredSchema(schema)))
        var fields = FieldValues(names: FieldNames(["price", "number"]), values: [.int64(2), .double(3)])
        fields = try rule.fitted(fields, of: "Items") ?? fields
        #expect(fields["price"] == .double(2) && fields["number"] == .int64(3))
        #expect(rule.additions.flatMap(\.fields).map(\.type) == [.double, .int64])
        let unknown = FieldValues(names: FieldNames(["color"]), values: [.string("red")])
        expectInvalidArguments { try rule.fitted(unknown, of: "Items") }
    }

    @Test("A strict container applies its own schema alone")
    func applying() async throws {
        let backend = MemoryBackend()
        let strict = try container(.strict(schema), backend)
        try await strict.apply(schema)
        var other = schema
        other["Items"]["nam"] = Schema.Field(.string)
        await expectHint("name") { try await strict.apply(other) }
        await expectHint("Lists") { try await strict.apply(Schema(recordTypes: ["List": .init()])) }
        other = schema
        other["Items"]["name"] = Schema.Field(.bytes)
        let error = await #expect(throws: CabinetError.self) { try await strict.apply(other) }
        #expect(error?.message.contains("STRING") == true && error?.message.contains("BYTES") == true)
        other = schema
        other["Items"].indexes = []
        try await strict.privateDatabase.apply(other)
        #expect(try await strict.privateDatabase.schema() == other)
    }

    @Test("A malformed schema is refused when the container is created")
    func malformed() {
        var bad: [Schema] = [Schema(recordTypes: ["_Items": .init()]), Schema(), Schema()]
        bad[1]["Items"]["photo"] = Schema.Field(.asset, .queryable)
        bad[2]["Items"].indexes = [["name", "list"]]
        for schema in bad { expectInvalidArguments { try container(.strict(schema)) } }
        #expect(throws: Never.self) { try container(.strict(Schema())) }
    }

    @Test("Resolved conflicts keep fields that the schema does not declare")
    func conflicts() async throws {
        let backend = MemoryBackend()
        let strict = try container(.strict(schema), backend).privateDatabase
        let growing = try container(.growing, backend).privateDatabase
        let first = try await strict.save(record("Items", ["name": "Milk"]))
        var other = try await growing.record(for: first.recordID)
        other["color"] = "white"
        try await growing.save(other)
        for resolver in [ConflictResolver.clientWins, .fieldwise(whenBothChanged: .server), .serverWins] {
            var mine = first
            mine["number"] = 2
            let merged = try await strict.save(mine, resolvingConflictsWith: resolver)
            #expect(merged["color"] as? String == "white")
        }
        try await strict.update(first.recordID) { $0["name"] = "Cream" }
        #expect(try await growing.record(for: first.recordID)["color"] as? String == "white")
    }
}
