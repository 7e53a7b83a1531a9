import Cabinet
import Foundation

extension ConformanceRule {
    /// State besides records that survives closing a store.
    static let durableState: [ConformanceRule] = [
        ConformanceRule(
            .durability, "schema and indexes survive closing the store",
            law:
                "A schema that was applied, with its indexes, and the fields that records added, survive closing the store.",
            source: .cabinet("schema"), needsReopening: true
        ) { world in
            let database = try world.privateDatabase()
            var schema = Schema()
            schema["Items"] = Schema.RecordType(
                fields: [
                    "name": Schema.Field(.string, [.queryable, .sortable, .searchable]),
                    "number": Schema.Field(.int64, .sortable), "empty": Schema.Field(.list(of: .timestamp)),
                ],
                indexes: [["name", "number"]])
            try await database.apply(schema)
            try await database.saveAll([
                Record("Items", "milk", ["name": "Milk", "list": Reference("none")]), Record("Lists", "list"),
            ])
            let before = try await database.schema()
            try await world.reopened { world in
                let database = try world.privateDatabase()
                try expect("The schema", try await database.schema(), equals: before)
                try expect(
                    "The searched", try await database.names(where: try Filter("self CONTAINS 'milk'")),
                    equals: ["milk"])
                try await expectError(.invalidArguments, in: "empty") {
                    try await database.save(Record("Items", "new", ["empty": [1]]))
                }
                schema["Items"].indexes = []
                try await database.apply(schema)
            }
        },
        ConformanceRule(
            .durability, "zones survive closing the store",
            law: "Zones, including empty ones, survive with their creators; deleted zones do not.",
            source: .cabinet("zones"), needsReopening: true
        ) { world in
            let zones = ["Home", "Travel", "Work"].map { RecordZone(zoneName: $0) }
            let container = try world.container()
            for database in [container.privateDatabase, container.publicDatabase] {
                for zone in zones { try await database.save(zone) }
                for zone in [zones[0], zones[2]] {
                    try await database.save(
                        Record(recordType: "Items", recordID: RecordID(recordName: "a", zoneID: zone.zoneID)))
                }
                try await database.deleteRecordZone(withID: zones[2].zoneID)
            }
            try await world.reopened { world in
                let container = try world.container()
                let expected: Set = ["Home", "Travel", RecordZone.ID.default.zoneName]
                for database in [container.privateDatabase, container.publicDatabase] {
                    let found = try await database.allRecordZones().map(\.zoneID.zoneName)
                    try expect("The zones", Set(found), equals: expected)
                    let records = try await database.allRecords(matching: Query(recordType: "Items"))
                    try expect("The records' zones", records.map(\.recordID.zoneID.zoneName), equals: ["Home"])
                }
                let ben = try world.container(account: Account(userRecordName: "_ben")).publicDatabase
                try await expectError(.permissionFailure) { try await ben.deleteRecordZone(withID: zones[1].zoneID) }
            }
        },
        ConformanceRule(
            .durability, "change tokens remain valid after closing the store",
            law:
                "Tokens from before the closing yield the changes since, before and after the closing, including deletions.",
            source: .cabinet("change feed"), needsReopening: true
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.saveAll(["a", "b", "c"].map { Record("Items", $0) })
            try await database.save(zone)
            let zoneToken = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            let token = try await database.databaseChanges(since: nil).changeToken
            let tokens = try JSONEncoder().encode([zoneToken, token])
            try await database.deleteRecord(withID: .named("a"))
            try await database.save(try await database.fetch("b").with(["number": 1]))
            try await database.deleteRecordZone(withID: zone.zoneID)
            try await world.reopened { world in
                let database = try world.privateDatabase()
                let tokens = try JSONDecoder().decode([ServerChangeToken].self, from: tokens)
                var device = Device(database, token: tokens[0])
                try expect("The changes before", try await device.update(), equals: ["+b", "-a"])
                let page = try await database.databaseChanges(since: tokens[1])
                try expect("The deleted zones", page.deletions.map(\.zoneID), equals: [zone.zoneID])
                try expect("The changed zones", page.modifications.map(\.zoneID), equals: [.default])
                try await database.deleteRecord(withID: .named("c"))
                try await database.save(Record("Items", "a"))
                try expect("The changes after", try await device.update(), equals: ["+a", "-c"])
                var fresh = Device(database)
                try expect("The changes for other devices", try await fresh.update(), equals: ["+a", "+b"])
            }
        },
        ConformanceRule(
            .durability, "forgotten deletions stay forgotten",
            law:
                "A token that had expired before the store was closed is still expired afterwards, for records, zones and notifications.",
            source: .cabinet("change feed"), needsReopening: true
        ) { world in
            let retention = ChangeRetention(count: 2)
            let database = try world.container(changeRetention: retention).privateDatabase
            try await database.save(
                QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordDeletion))
            try await database.saveAll((0..<6).map { Record("Items", "r\($0)") })
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            let listener = try await world.container().fetchNotifications(since: nil).token
            for number in 0..<5 { try await database.deleteRecord(withID: .named("r\(number)")) }
            let zones = (0..<3).map { RecordZone(zoneName: "Z\($0)") }
            for zone in zones { try await database.save(zone) }
            let databaseToken = try await database.databaseChanges(since: nil).changeToken
            for zone in zones { try await database.deleteRecordZone(withID: zone.zoneID) }
            try await world.reopened { world in
                let container = try world.container()
                try await expectError(.changeTokenExpired) {
                    try await container.privateDatabase.recordZoneChanges(inZoneWith: .default, since: token)
                }
                try await expectError(.changeTokenExpired) {
                    try await container.privateDatabase.databaseChanges(since: databaseToken)
                }
                try await expectError(.changeTokenExpired) { try await container.fetchNotifications(since: listener) }
                try expect(
                    "The remaining notifications",
                    try await container.fetchNotifications(since: nil).notifications.map(\.text),
                    equals: ["a deleted r3 left", "a deleted r4 left"])
            }
        },
        ConformanceRule(
            .durability, "every kind of subscription survives closing the store",
            law:
                "Subscriptions to queries, zones and databases survive as they were saved; those that fired once do not.",
            source: .cabinet("subscriptions"), needsReopening: true
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.save(zone)
            let all: [Subscription] = [
                .query(
                    QuerySubscription(
                        recordType: "Items", filter: try Filter("number > 3 AND name BEGINSWITH 'M'"),
                        subscriptionID: "query", options: [.firesOnRecordUpdate, .firesOnRecordDeletion],
                        desiredKeys: ["name"])),
                .recordZone(RecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone", recordType: "Items")),
                .database(DatabaseSubscription(subscriptionID: "database")),
            ]
            try await database.save(
                Record("Items", "first", ["number": 1, "name": "Bread"]))
            for subscription in all { try await database.save(subscription) }
            try await database.save(
                QuerySubscription(
                    recordType: "Items", subscriptionID: "once", options: [.firesOnRecordCreation, .firesOnce]))
            try await database.save(Record("Items", "milk", ["number": 4, "name": "Milk"]))
            try await world.reopened { world in
                let database = try world.privateDatabase()
                let found = try await database.allSubscriptions().sorted { $0.subscriptionID < $1.subscriptionID }
                try expect("The subscriptions", found, equals: all.sorted { $0.subscriptionID < $1.subscriptionID })
                var listener = try await Listener(world)
                try await database.deleteRecord(withID: .named("milk"))
                try expect(
                    "The notifications", Set(try await listener.notifications()).contains("query deleted milk left"),
                    equals: true)
            }
        },
        ConformanceRule(
            .durability, "refused changes do not reappear",
            law:
                "After the store was reopened, it holds nothing of a transaction that threw, nor any replaced value.",
            source: .storage("StorageBackend.write(_:_:)"), needsReopening: true
        ) { world in
            struct Refusal: Error {}
            _ = try await world.backend.write(.public) { try await $0.store([("kept", 1), ("removed", 1)]) }
            _ = try await world.backend.write(.public) { transaction in
                try await transaction.store([("kept", 2)])
                try await transaction.remove([.named("removed")])
            }
            do {
                try await world.backend.write(.public) { transaction in
                    _ = try await transaction.store([("kept", 3), ("refused", 3)])
                    try await transaction.add([StoredField(name: "y", type: .string)], to: "Samples")
                    throw Refusal()
                }
            } catch is Refusal {}
            try await world.reopened { world in
                try expect("The names", try await world.backend.names(), equals: ["kept"])
                try expect("The value", try await world.backend.record("kept")?.x, equals: .int64(2))
                let fields = try await world.backend.read(.public) { try await $0.schema().recordTypes["Samples"] }
                try expect("The fields", fields, equals: ["x": .int64])
            }
        },
        ConformanceRule(
            .durability, "a store can be reopened repeatedly",
            law: "A store that was closed and reopened several times holds the writes of every session.",
            source: .storage("StorageBackend.close()"), needsReopening: true
        ) { world in
            func openings(_ world: ConformanceWorld, _ number: Int) async throws {
                let database = try world.privateDatabase()
                try expect("The items", try await database.names(), equals: (0..<number).map { "r\($0)" })
                guard number < 5 else { return }
                try await database.save(Record("Items", "r\(number)"))
                try await world.reopened { try await openings($0, number + 1) }
            }
            try await openings(world, 0)
        },
    ]
}
