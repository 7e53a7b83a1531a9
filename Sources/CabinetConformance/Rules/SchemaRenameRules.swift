import Cabinet
import Foundation

extension ConformanceRule {
    /// Renames of record types and fields.
    static let schemaRenames: [ConformanceRule] = [
        ConformanceRule(
            .schema, "a renamed field keeps its values",
            law:
                "After a rename, records have the value under the new name and the same tag; indexes and unique keys follow, and no "
                + "change is reported.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.apply(.items)
            let milk = try await database.save(Record("Items", "milk", ["name": "Milk", "due": 3]))
            try await database.save(Record("Notes", "note", ["due": 1]))
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            for _ in 0..<2 {
                try expect(
                    try await container.renameField("due", to: "dueDate", of: "Items"), "The field was not found.")
                let found = try await database.fetch("milk")
                try expect("The value", found["dueDate"], equals: 3)
                try expect("The value under the old name", found.fieldValue("due"), equals: nil)
                try expect("The tag", found.recordChangeTag, equals: milk.recordChangeTag)
                let query = try await database.names(where: .compare("dueDate", .greaterThan, 1), by: [Sort("dueDate")])
                try expect("The records by the new name", query, equals: ["milk"])
                let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
                try expect("The changes", changes.modificationResultsByID.count, equals: 0)
                try expect("The schema", try await database.schema()["Items"], equals: .renamedItems)
                try expect("Another type", try await database.fetch("note")["due"], equals: 1)
            }
            try await expectError(.constraintViolation, naming: ["dueDate = 3"]) {
                try await database.save(Record("Items", "other", ["name": "Milk", "dueDate": 3]))
            }
            // The fetched record has the field that another one has not, and is not in conflict.
            try await database.save(database.fetch("milk").with(["dueDate": 4]))
            try await expectError(.serverRecordChanged) { try await database.save(milk.with(["name": "Cream"])) }
            let isFound = try await container.renameField("color", to: "colour", of: "Items")
            try expect("A field that no database has", isFound, equals: false)
            try expect("An unknown type", try await container.renameField("a", to: "b", of: "Things"), equals: false)
        },
        ConformanceRule(
            .schema, "a renamed record type keeps its records",
            law: "After the rename of a type, its records, deletions, grants and unique keys have the new name.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.publicDatabase
            var schema = Schema.items
            schema["Items"].grants = ["_icloud": [.read, .create], "_creator": [.write]]
            try await container.apply(schema)
            let milk = try await database.save(Record("Items", "milk", ["name": "Milk", "due": 3]))
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            try await database.save(Record("Items", "gone"))
            try await database.deleteRecord(withID: .named("gone"))
            for _ in 0..<2 {
                try expect(try await container.renameRecordType("Items", to: "Tasks"), "The type was not found.")
                let found = try await database.fetch("milk")
                try expect("The type", found.recordType, equals: "Tasks")
                try expect("The tag", found.recordChangeTag, equals: milk.recordChangeTag)
                try expect("The records", try await database.names("Tasks"), equals: ["milk"])
                let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
                try expect("The deletions", changes.deletions.map(\.recordType), equals: ["Tasks"])
                let changed = try await database.schema()
                try expect("The schema of the type", changed["Tasks"], equals: schema["Items"])
                try expect("The old name", changed.recordTypes["Items"], equals: nil)
            }
            try await expectError(.permissionFailure) {
                try await world.container(account: nil).publicDatabase.record(for: .named("milk"))
            }
            try await expectError(.constraintViolation, naming: ["milk"]) {
                try await database.save(Record("Tasks", "other", ["name": "Milk", "due": 3]))
            }
        },
        ConformanceRule(
            .schema, "a type takes the name of one whose records were deleted",
            law:
                "After a rename to the name of an empty type, the feed has the renamed records and no deletion of the empty type, whose "
                + "zones' tokens expire.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            let zone = try await database.save(RecordZone(zoneName: "Other"))
            try await database.save(Record("Items", "kept"))
            try await database.save(Record("Tasks", "gone"))
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            let other = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil).changeToken
            try await database.deleteRecord(withID: .named("gone"))
            try await container.renameRecordType("Items", to: "Tasks")
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            let found = try changes.modificationResultsByID.values.map { try $0.get().record }
            try expect(
                "The records", found.map { "\($0.recordType) \($0.recordID.recordName)" }, equals: ["Tasks kept"])
            try expect("The deletions", changes.deletions.count, equals: 0)
            try await expectError(.changeTokenExpired) {
                try await database.recordZoneChanges(inZoneWith: .default, since: token)
            }
            let unchanged = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: other)
            try expect("The changes of another zone", unchanged.modificationResultsByID.count, equals: 0)
        },
        ConformanceRule(
            .schema, "a former name is refused",
            law:
                "After a rename, saves, queries and cursors with the old name fail with the new one, unless a schema that has both "
                + "names adds the old one again.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            let words = ["'due'", "'dueDate'"]
            try await database.apply(.items)
            var old: [Record] = []
            for number in 1...3 {
                old.append(
                    try await database.save(Record("Items", "r\(number)", ["name": "\(number)", "due": number])))
            }
            let query = Query(recordType: "Items", filter: .constant(true), sortedBy: [Sort("due")])
            let cursor = try require(
                try await database.records(matching: query, resultsLimit: 1).queryCursor, "The cursor")
            try await container.renameField("due", to: "dueDate", of: "Items")
            for filter in [
                "due = 1", "name = '1' OR 1 < due", "item.due = 1", "SUBQUERY(Items.due, $x, TRUEPREDICATE).@count = 0",
                "SUBQUERY(Items.item, $x, $x.due = 1).@count = 0",
                "SUBQUERY(Items.item, $x, SUBQUERY(Items.item, $y, $y.item.due = 1).@count > 0).@count = 0",
            ] {
                try await expectError(.invalidArguments, naming: words, in: "due") {
                    try await database.names(where: Filter(filter))
                }
            }
            let counted = Sort(countOf: "Items", referringBy: "item", where: .compare("due", .greaterThan, 1))
            try await expectError(.invalidArguments, naming: words, in: "due") {
                try await database.names(by: [counted])
            }
            try await expectError(.invalidArguments, naming: words) { try await database.records(matching: query) }
            try await expectError(.invalidArguments, naming: words) {
                try await database.records(continuingMatchFrom: cursor)
            }
            try await expectError(.invalidArguments, naming: words) {
                try await database.sum(of: "due", matching: Query(recordType: "Items"))
            }
            for record in [Record("Items", "new", ["due": 1]), old[0].with(["due": 9])] {
                try await expectError(.invalidArguments, naming: words, in: "due") { try await database.save(record) }
            }
            let late = Query(recordType: "Items", filter: try Filter("due > 2"))
            try await expectError(.invalidArguments, naming: words, in: "due") { try await database.validate(late) }
            // Without the field in question, a record that was fetched before can still be saved.
            try await database.saveAll([Record("Items", "new", ["name": "New"])])
            let saved = try await database.modifyRecords(
                saving: [old[1].with(["name": "Two"])], deleting: [], savePolicy: .changedKeys)
            try expect("The saved value", try saved.saveResults[.named("r2")]?.get()["dueDate"], equals: 2)
            // A program that knows only the old name does not get it back at its start; one that knows both does.
            try await expectError(.invalidArguments, naming: words, in: "due") { try await database.apply(.items) }
            let strict = try world.container(schema: .strict(.items)).privateDatabase
            try await expectError(.invalidArguments, naming: words) { try await strict.record(for: .named("r1")) }
            var both = try await database.schema()
            both["Items"]["due"] = .init(.string)
            try await database.apply(both)
            try await database.save(Record("Items", "both", ["due": "text", "dueDate": 7]))
            try expect(
                "The new field", try await database.names(where: .compare("due", .equal, "text")), equals: ["both"])

            try await container.renameRecordType("Items", to: "Tasks")
            let types = ["'Items'", "'Tasks'"]
            try await expectError(.invalidArguments, naming: types) { try await database.names("Items") }
            let count = Sort(countOf: "Items", referringBy: "item")
            try await expectError(.invalidArguments, naming: types) { try await database.names("Tasks", by: [count]) }
            let counting = try Filter("SUBQUERY(Items.item, $x, TRUEPREDICATE).@count = 0")
            try await expectError(.invalidArguments, naming: types) {
                try await database.names("Tasks", where: counting)
            }
            for record in [Record("Items", "x"), old[2].with(["name": "Three"])] {
                try await expectError(.invalidArguments, naming: types) { try await database.save(record) }
            }
            try await expectError(.invalidArguments, naming: types) { try await database.apply(both) }
            try await expectError(.invalidArguments, naming: types) {
                try await container.renameField("name", to: "title", of: "Items")
            }
            try await container.renameRecordType("Tasks", to: "Items")
            try expect("The records", try await database.names("Items").count, equals: 5)
            try await expectError(.invalidArguments, naming: types) { try await database.names("Tasks") }
        },
        ConformanceRule(
            .schema, "a rename that cannot be is refused",
            law:
                "A rename to a name that a database has, or that no field or type can have, is refused, and no database changes.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            for each in [container.publicDatabase, database] { try await each.apply(.items) }
            try await database.save(Record("Notes", "note", ["text": "Note"]))
            try await container.publicDatabase.save(Record("Items", "named", ["name": "A"]))
            let both = ["'name'", "'due'", "both"]
            try await expectError(.invalidArguments, naming: both) {
                try await container.renameField("due", to: "name", of: "Items")
            }
            // Only the second database refuses.
            try await expectError(.invalidArguments, naming: ["'Items'", "'Notes'", "both"]) {
                try await container.renameRecordType("Items", to: "Notes")
            }
            for (old, new) in [
                ("due", "recordID"), ("creationDate", "created"), ("due", "a b"), ("due", ""), ("due", "_due"),
                ("due", "due"), ("due", "modificationDate"), ("parent", "owner"), ("a.b", "c"),
            ] {
                try await expectError(.invalidArguments) {
                    try await container.renameField(old, to: new, of: "Items")
                }
            }
            for (old, new) in [
                ("Users", "People"), ("Items", "Users"), ("Items", "1"), ("", "Things"), ("Items", "Items"),
                // The name of a field is not that of a type.
                ("Items.due", "dueDate"),
            ] {
                try await expectError(.invalidArguments) { try await container.renameRecordType(old, to: new) }
            }
            // A strict container declares the new name, and not the old one.
            for (mode, isAllowed) in [(Schema.items, false), (Schema(recordTypes: ["Items": .renamedItems]), true)] {
                let strict = try world.container(schema: .strict(mode))
                do {
                    try await strict.renameField("due", to: "dueDate", of: "Items")
                    try expect(isAllowed, "The rename succeeded.")
                } catch CabinetError.Code.invalidArguments {
                    try expect(!isAllowed, "The rename was refused.")
                    try expect("The schema", try await container.publicDatabase.schema(), equals: .items)
                }
            }
            try expect("The schema", try await database.schema()["Items"], equals: .renamedItems)
            // A name without values, which a strict container has created, gives way.
            var early = Schema(recordTypes: ["Items": .renamedItems])
            early["Items"]["title"] = .init(.string)
            early["Items"]["name"] = nil
            early["Items"].uniqueKeys = []
            let next = try world.container(schema: .strict(early))
            _ = try await next.publicDatabase.names("Items")
            try await next.renameField("name", to: "title", of: "Items")
            try expect("The title", try await next.publicDatabase.fetch("named")["title"], equals: "A")
            try await expectError(.notAuthenticated) {
                try await world.container(account: nil).renameField("due", to: "dueDate", of: "Items")
            }
            let shared = container.sharedDatabase
            try await expectError(.invalidArguments) { try await shared.rename(SchemaPart("Items"), to: "Tasks") }
        },
        ConformanceRule(
            .schema, "a subscription follows a rename",
            law: "The filter, the keys and the record type of every user's subscriptions have the new name.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.apply(.items)
            try await database.save(
                QuerySubscription(
                    recordType: "Items", filter: try Filter("due > 3 AND name != 'x'"), subscriptionID: "late",
                    options: .firesOnRecordCreation, desiredKeys: ["due"]))
            try await database.save(DatabaseSubscription(subscriptionID: "items", recordType: "Items"))
            try await database.save(DatabaseSubscription(subscriptionID: "notes", recordType: "Notes"))
            try await container.renameField("due", to: "dueDate", of: "Items")
            try await container.renameRecordType("Items", to: "Tasks")
            let found = Dictionary(
                uniqueKeysWithValues: try await database.allSubscriptions().map { ($0.subscriptionID, $0) })
            let late = QuerySubscription(
                recordType: "Tasks", filter: try Filter("dueDate > 3 AND name != 'x'"), subscriptionID: "late",
                options: .firesOnRecordCreation, desiredKeys: ["dueDate"])
            try expect("The query's subscription", found["late"], equals: .query(late))
            try expect(
                "The type's subscription", found["items"],
                equals: .database(DatabaseSubscription(subscriptionID: "items", recordType: "Tasks")))
            try expect(
                "The other subscription", found["notes"],
                equals: .database(DatabaseSubscription(subscriptionID: "notes", recordType: "Notes")))
            let device = try world.container(deviceID: "another device")
            try await device.privateDatabase.save(Record("Tasks", "task", ["name": "a", "dueDate": 4]))
            let events = try await container.fetchNotifications(since: nil).notifications.map(\.subscriptionID)
            try expect("The subscriptions that fired", Set(events), equals: ["late", "items"])
        },
        ConformanceRule(
            .schema, "a live query ends at a rename of its field",
            law: "An observer of a query with a name that is renamed receives the error that names the new one.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.saveAll([Record("Items", "a", ["due": 3]), Record("Items", "b", ["due": 1])])
            var old = try ObservationProbe(database, Query(recordType: "Items", filter: Filter("due > 2")))
            try await old.expectNext(["a"])
            var all = try ObservationProbe(database, Query(recordType: "Items", sortedBy: [Sort("recordID")]))
            try await all.expectNext(["a", "b"])
            try await container.renameField("due", to: "dueDate", of: "Items")
            try await expectError(.invalidArguments, naming: ["'due'", "'dueDate'"]) {
                while true { try await old.next() }
            }
            try await database.save(Record("Items", "c", ["dueDate": 5]))
            try await all.expectFinally(["a", "b", "c"])
            try expect("The renamed value", all.last.first?["dueDate"], equals: 3)
        },
    ]
}

extension Schema {
    fileprivate static let items = Schema(recordTypes: [
        "Items": RecordType(
            fields: [
                "name": .init(.string, [.queryable, .searchable]), "due": .init(.int64, [.queryable, .sortable]),
                "item": .init(.reference),
            ], indexes: [["due", "item"]], uniqueKeys: [["name", "due"]])
    ])
}

extension Schema.RecordType {
    fileprivate static let renamedItems = Self(
        fields: [
            "name": .init(.string, [.queryable, .searchable]), "dueDate": .init(.int64, [.queryable, .sortable]),
            "item": .init(.reference),
        ], indexes: [["dueDate", "item"]], uniqueKeys: [["name", "dueDate"]])
}
