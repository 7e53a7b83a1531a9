import Cabinet
import Foundation

extension ConformanceRule {
    /// The changes that fire each kind of subscription.
    static let firing: [ConformanceRule] = [
        ConformanceRule(
            .subscriptions, "a query subscription fires according to the table",
            law:
                "The option that a change fires depends on whether the record matched before, and whether it matches after.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            let filter = try Filter("x > 0")
            for (id, options) in Self.options {
                try await database.save(
                    QuerySubscription(recordType: "Items", filter: filter, subscriptionID: id, options: options))
            }
            var listener = try await Listener(world)
            func expectNotified(_ what: String, _ texts: [String]) async throws {
                try expect(what, try await listener.notifications(), equals: texts)
            }
            try await database.save(Record("Items", "r", ["x": 1]))
            try await expectNotified("Created, matches", ["all created r entered", "create created r entered"])
            try await database.save(Record("Items", "s", ["x": 0]))
            try await expectNotified("Created, does not match", [])
            try await database.update(.named("r")) { $0["x"] = 2 }
            try await expectNotified(
                "Updated, matched and matches", ["all updated r stayed", "update updated r stayed"])
            try await database.update(.named("s")) { $0["x"] = 1 }
            try await expectNotified("Updated, begins to match", ["all updated s entered", "update updated s entered"])
            try await database.update(.named("s")) { $0["x"] = -1 }
            try await expectNotified("Updated, no longer matches", ["all updated s left", "update updated s left"])
            try await database.update(.named("s")) { $0["x"] = -2 }
            try await expectNotified("Updated, never matched", [])
            try await database.deleteRecord(withID: .named("s"))
            try await expectNotified("Deleted, did not match", [])
            try await database.deleteRecord(withID: .named("r"))
            try await expectNotified("Deleted, matched", ["all deleted r left", "delete deleted r left"])
            try await database.save(Record("Lists", "r", ["x": 1]))
            try await expectNotified("Another type", [])
        },
        ConformanceRule(
            .subscriptions, "delete rules fire",
            law:
                "A record that a delete rule deletes, or removes a reference from, fires as if a program had changed it.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "list"), Record("Items", "owned", ["list": Reference("list", .deleteSelf)]),
                Record("Items", "freed", ["other": Reference("list", .nullify)]),
            ])
            try await database.save(
                QuerySubscription(
                    recordType: "Items", filter: try Filter("list != NIL OR other != NIL"), subscriptionID: "a",
                    options: [.firesOnRecordDeletion, .firesOnRecordUpdate]))
            var listener = try await Listener(world)
            try await database.deleteRecord(withID: .named("list"))
            try expect(
                "The notifications", Set(try await listener.notifications()),
                equals: ["a deleted owned left", "a updated freed left"])
        },
        ConformanceRule(
            .subscriptions, "a deletion fires the subscriptions of every deleted type",
            law:
                "Records that a deletion reaches through delete rules fire the subscriptions of their types and zones, which the "
                + "batch does not name.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.save(zone)
            func record(_ type: String, _ name: String, owner: String? = nil) -> Record {
                var record = Record(
                    recordType: type, recordID: RecordID(recordName: name, zoneID: zone.zoneID))
                if let owner {
                    let id = RecordID(recordName: owner, zoneID: zone.zoneID)
                    record["owner"] = Reference(recordID: id, action: .deleteSelf)
                }
                return record
            }
            try await database.saveAll([
                record("Lists", "list"), record("Items", "item", owner: "list"), record("Notes", "note", owner: "item"),
            ])
            for type in ["Lists", "Items", "Notes", "Others"] {
                try await database.save(
                    QuerySubscription(recordType: type, subscriptionID: type, options: .firesOnRecordDeletion))
            }
            try await database.save(DatabaseSubscription(subscriptionID: "database", recordType: "Notes"))
            try await database.save(
                RecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone", recordType: "Items"))
            var listener = try await Listener(world)
            try await database.deleteRecord(withID: record("Lists", "list").recordID)
            try expect(
                "The notifications", try await listener.notifications(),
                equals: [
                    "Items deleted Travel/item left", "Lists deleted Travel/list left",
                    "Notes deleted Travel/note left", "database database private", "zone zone Travel",
                ])
        },
        ConformanceRule(
            .subscriptions, "the next save fires the subscriptions that another container has changed",
            law:
                "A container that has saved before fires the subscriptions that another container has added or replaced since, "
                + "not those that it has deleted.",
            source: .cabinet("subscriptions")
        ) { world in
            let (writer, other) = (try world.privateDatabase(), try world.privateDatabase())
            var listener = try await Listener(world)
            func expectNotified(_ what: String, _ texts: [String]) async throws {
                try await writer.save(Record("Items", "\(what) 1", ["x": 1]))
                try expect(what, try await listener.notifications(), equals: texts)
            }
            func subscribe(_ id: String, _ filter: String) async throws {
                try await other.save(
                    QuerySubscription(
                        recordType: "Items", filter: try Filter(filter), subscriptionID: id,
                        options: .firesOnRecordCreation))
            }
            try await expectNotified("none", [])
            try await subscribe("a", "x > 0")
            try await expectNotified("added", ["a created added 1 entered"])
            try await subscribe("b", "x > 0")
            try await expectNotified("two", ["a created two 1 entered", "b created two 1 entered"])
            try await subscribe("a", "x > 1")
            try await expectNotified("replaced", ["b created replaced 1 entered"])
            // A replacement may be about another record type.
            try await other.save(
                QuerySubscription(recordType: "Lists", subscriptionID: "b", options: .firesOnRecordCreation))
            try await expectNotified("moved", [])
            try await subscribe("a", "x > 0")
            try await expectNotified("again", ["a created again 1 entered"])
            try await other.deleteSubscription(withID: "a")
            try await expectNotified("deleted", [])
            let left = try await writer.allSubscriptions().map(\.subscriptionID)
            try expect("The subscriptions", left, equals: ["b"])
        },
        ConformanceRule(
            .subscriptions, "a zone subscription reports changes in its zone",
            law: "Saves and deletions of records of its type fire it; pending notifications are merged into one.",
            source: .cloudKit("CKRecordZoneSubscription")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.save(zone)
            func record(_ name: String, _ type: String = "Trips") -> Record {
                Record(recordType: type, recordID: RecordID(recordName: name, zoneID: zone.zoneID))
            }
            try await database.save(RecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "all"))
            try await database.save(
                RecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "items", recordType: "Items"))
            try await database.save(RecordZoneSubscription(zoneID: .default, subscriptionID: "default"))
            var listener = try await Listener(world)
            try await database.saveAll([record("a"), record("b")])
            try expect("Saves", try await listener.notifications(), equals: ["all zone Travel"])
            try await database.save(Record("Items", "c"))
            try expect("The default zone", try await listener.notifications(), equals: ["default zone _defaultZone"])
            try await database.save(record("d", "Items"))
            try expect(
                "The type", try await listener.notifications(), equals: ["all zone Travel", "items zone Travel"])
            try await database.deleteRecord(withID: record("d").recordID)
            try expect(
                "A deletion", try await listener.notifications(), equals: ["all zone Travel", "items zone Travel"])
            for number in 0..<5 { try await database.save(record("e\(number)")) }
            try expect("The pending notifications", try await listener.notifications(), equals: ["all zone Travel"])
            try expect("The remaining notifications", try await listener.notifications(), equals: [])
        },
        ConformanceRule(
            .subscriptions, "a database subscription reports changes",
            law:
                "Records of its type in any zone, and saved or deleted zones, fire it; pending notifications are merged into one.",
            source: .cloudKit("CKDatabaseSubscription")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(DatabaseSubscription(subscriptionID: "all"))
            try await database.save(DatabaseSubscription(subscriptionID: "items", recordType: "Items"))
            var listener = try await Listener(world)
            try await database.saveAll([Record("Items", "a"), Record("Lists", "b")])
            try expect(
                "Saves", try await listener.notifications(), equals: ["all database private", "items database private"])
            try await database.save(Record("Lists", "c"))
            try await database.save(Record("Lists", "d"))
            try expect("Another type", try await listener.notifications(), equals: ["all database private"])
            try await database.save(RecordZone(zoneName: "Travel"))
            try expect("A new zone", try await listener.notifications(), equals: ["all database private"])
            try await database.deleteRecordZone(withID: RecordZone.ID(zoneName: "Travel"))
            try expect(
                "A deleted zone", try await listener.notifications(),
                equals: ["all database private", "items database private"])
            try await database.save(RecordZone.default())
            _ = try await database.modifyRecords(saving: [], deleting: [.named("none")])
            try await world.container().publicDatabase.save(Record("Items", "p"))
            try expect("Nothing, and another database", try await listener.notifications(), equals: [])
        },
        ConformanceRule(
            .subscriptions, "a deleted zone fires, and its subscriptions are deleted",
            law:
                "Its matching records fire as deleted; subscriptions of the zone are deleted, those of all zones stay.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.save(zone)
            let records = (0..<3).map { (number: Int) in
                Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)", zoneID: zone.zoneID))
                    .with(["x": number])
            }
            try await database.saveAll(records + [Record("Items", "other", ["x": 5])])
            let filter = try Filter("x > 0")
            let zoneIDs: [(String, RecordZone.ID?)] = [("all", nil), ("own", zone.zoneID), ("other", .default)]
            for (id, zoneID) in zoneIDs {
                try await database.save(
                    QuerySubscription(
                        recordType: "Items", filter: filter, subscriptionID: id, zoneID: zoneID,
                        options: .firesOnRecordDeletion))
            }
            try await database.save(RecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone"))
            var listener = try await Listener(world)
            try await database.deleteRecordZone(withID: zone.zoneID)
            try expect(
                "The notifications", try await listener.notifications(),
                equals: [
                    "all deleted Travel/r1 left", "all deleted Travel/r2 left", "own deleted Travel/r1 left",
                    "own deleted Travel/r2 left", "zone zone Travel",
                ])
            let left = try await database.allSubscriptions().map(\.subscriptionID)
            try expect("The subscriptions", left, equals: ["all", "other"])
        },
        ConformanceRule(
            .subscriptions, "a subscription that fires once is deleted",
            law:
                "The first notification deletes it in the same transaction, also if more of the batch would fire.",
            source: .cloudKit("CKQuerySubscription")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(
                QuerySubscription(
                    recordType: "Items", filter: try Filter("x > 0"), subscriptionID: "once",
                    options: [.firesOnRecordCreation, .firesOnce]))
            var listener = try await Listener(world)
            try await database.save(Record("Items", "no", ["x": 0]))
            try expect("The subscriptions", try await database.allSubscriptions().count, equals: 1)
            try await database.saveAll([Record("Items", "a", ["x": 1]), Record("Items", "b", ["x": 1])])
            try expect("The notifications", try await listener.notifications(), equals: ["once created a entered"])
            try expect("The remaining subscriptions", try await database.allSubscriptions().count, equals: 0)
            try await database.save(Record("Items", "c", ["x": 1]))
            try expect("The later notifications", try await listener.notifications(), equals: [])
        },
        ConformanceRule(
            .subscriptions, "notifications have the desired fields",
            law:
                "A notification has the values that the record has after the change, or had before its deletion; assets "
                + "are left out.",
            source: .cloudKit("CKNotificationInfo.desiredKeys"), abilities: [.assets]
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(
                QuerySubscription(
                    recordType: "Items", subscriptionID: "a",
                    options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion],
                    desiredKeys: ["name", "x", "photo", "none"]))
            let container = try world.container()
            let photo = Asset(data: Data([1]))
            try await database.save(
                Record("Items", "r", ["name": "old", "x": Double.infinity, "y": 1, "photo": photo]))
            try await database.update(.named("r")) { $0["name"] = "new" }
            try await database.deleteRecord(withID: .named("r"))
            let fields = try await container.fetchNotifications(since: nil).notifications.compactMap { notification in
                if case .query(let event) = notification.event { event.recordFields } else { nil }
            }
            let new: [String: FieldValue] = ["name": .string("new"), "x": .double(.infinity)]
            try expect(
                "The fields", fields, equals: [["name": .string("old"), "x": .double(.infinity)], new, new])
        },
        ConformanceRule(
            .subscriptions, "failures fire nothing",
            law: "A batch that changes nothing, and records that were not saved, fire nothing.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(
                QuerySubscription(
                    recordType: "Items", subscriptionID: "a", options: [.firesOnRecordCreation, .firesOnRecordUpdate]))
            try await database.save(DatabaseSubscription(subscriptionID: "b"))
            var listener = try await Listener(world)
            let dangling = Record("Items", "bad", ["list": Reference("none", .deleteSelf)])
            _ = try await database.failures(saving: [Record("Items", "good"), dangling])
            try expect("An atomic batch", try await listener.notifications(), equals: [])
            _ = try await database.modifyRecords(
                saving: [Record("Items", "good"), dangling], deleting: [], atomically: false)
            try expect(
                "Another batch", try await listener.notifications(),
                equals: ["a created good entered", "b database private"])
        },
    ]

    private static let options: [(String, QuerySubscription.Options)] = [
        ("all", [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]),
        ("create", .firesOnRecordCreation), ("delete", .firesOnRecordDeletion), ("update", .firesOnRecordUpdate),
    ]
}
