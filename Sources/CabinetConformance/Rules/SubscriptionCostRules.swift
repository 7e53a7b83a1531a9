import Cabinet

extension ConformanceRule {
    /// The rules about the cost of subscriptions for saves.
    static let subscriptionCosts: [ConformanceRule] = [
        ConformanceRule(
            .subscriptions, "many notifications of one save become one",
            law:
                "After 100 notifications of a user in one transaction, one notification of many changes stands for all further ones, and "
                + "other users receive theirs.",
            source: .cabinet("subscriptions")
        ) { world in
            let anna = try world.container()
            let ben = try world.container(account: Account(userRecordName: "_ben"))
            for number in 0..<3 {
                try await anna.publicDatabase.save(
                    QuerySubscription(
                        recordType: "Items", subscriptionID: "s\(number)",
                        options: [.firesOnRecordCreation, .firesOnRecordDeletion]))
            }
            try await ben.publicDatabase.save(DatabaseSubscription(subscriptionID: "b"))
            var device = try await Listener(world)
            let writer = try world.container(account: Account(userRecordName: "_eva")).publicDatabase
            let names = (0..<60).map { "r\($0)" }
            try await writer.saveAll(names.prefix(33).map { Record("Items", $0) })
            try expect("The notifications", try await device.notifications().count, equals: 99)
            try await writer.saveAll(names.suffix(27).map { Record("Items", $0) })
            try expect("The notifications", try await device.notifications().count, equals: 81)
            try await writer.deleteAll(names)
            let found = try await device.notifications()
            try expect("The notifications", found.count, equals: 101)
            try expect("The last notification", found.last, equals: "many changes")
            try expect(
                "The first ones", found.filter { $0.hasPrefix("s") && $0.contains(" deleted ") }.count, equals: 100)
            let others = try await ben.fetchNotifications(since: nil).notifications
            try expect("The other user's", others.map(\.text), equals: ["b database public"])
            // Unread ones are merged, and a zone's deletion has the same bound.
            let zone = RecordZone(zoneName: "Travel")
            try await writer.save(zone)
            for batch in [0..<51, 51..<102] {
                try await writer.saveAll(
                    batch.map {
                        Record(recordType: "Items", recordID: RecordID(recordName: "z\($0)", zoneID: zone.zoneID))
                    })
            }
            let created = try await device.notifications()
            try expect("The notifications of many changes", created.filter { $0 == "many changes" }.count, equals: 1)
            try expect("The notifications", created.count, equals: 201)
            try await writer.deleteRecordZone(withID: zone.zoneID)
            let removed = try await device.notifications()
            try expect("The notifications of the zone's deletion", removed.count, equals: 101)
            try expect("The last notification", removed.last, equals: "many changes")
        },
        ConformanceRule(
            .subscriptions, "a subscription's filter has a bounded cost",
            law: "A subscription with MATCHES in its filter is refused with invalidArguments; a filter that is too "
                + "large, or one subscription too many, with limitExceeded.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.container().publicDatabase
            func save(_ filter: Filter) async throws {
                try await database.save(
                    QuerySubscription(recordType: "Items", filter: filter, options: .firesOnRecordCreation))
            }
            try await expectError(.invalidArguments, naming: ["MATCHES", "LIKE"]) {
                try await save(try Filter("n == 1 OR NOT (name MATCHES '.*')"))
            }
            try await expectError(.limitExceeded, naming: ["300", "200"]) {
                try await save(.or((0..<150).map { .field("n") == $0 }))
            }
            try await expectError(.limitExceeded, naming: ["10000"]) {
                try await save(.field("n").isIn(0..<2_000))
            }
            try expect("The subscriptions", try await database.allSubscriptions().count, equals: 0)
            let many = (0..<501).map {
                Subscription.database(DatabaseSubscription(subscriptionID: "s\($0)"))
            }
            let results = try await database.modifySubscriptions(saving: many, deleting: []).saveResults
            try await expectFailure(results["s500"], .limitExceeded, naming: ["501", "500"])
            try expect("The subscriptions", try await database.allSubscriptions().count, equals: 500)
            try await database.save(DatabaseSubscription(subscriptionID: "s1", recordType: "Items"))
            let exchanged = try await database.modifySubscriptions(saving: [many[500]], deleting: ["s0"]).saveResults
            try expect("A new one instead of another", try require(exchanged["s500"], "s500").get(), equals: many[500])
        },
        ConformanceRule(
            .subscriptions, "a subscription that takes too much work is reported to its owner",
            law: "A save succeeds regardless of the cost of others' subscriptions. The owner of a too expensive one is "
                + "notified of the failure, and others' subscriptions fire.",
            source: .cabinet("subscriptions")
        ) { world in
            let anna = try world.container()
            let ben = try world.container(account: Account(userRecordName: "_ben"))
            var annas = try await Listener(world, anna)
            var bens = try await Listener(world, ben)
            // Each of the 100,000 positions in the text is tried with the 400 characters after the last star.
            let pattern = "*" + String(repeating: "a", count: 400) + "b"
            try await anna.publicDatabase.save(
                QuerySubscription(
                    recordType: "Items", filter: .field("text").like(pattern), subscriptionID: "a",
                    options: [.firesOnRecordCreation, .firesOnRecordDeletion]))
            try await ben.publicDatabase.save(
                QuerySubscription(
                    recordType: "Items", filter: .field("text").beginsWith("a"), subscriptionID: "b",
                    options: .firesOnRecordCreation))
            let carl = try world.container(account: Account(userRecordName: "_carl")).publicDatabase
            for name in ["r1", "r2"] {
                try await carl.save(Record("Items", name, ["text": String(repeating: "a", count: 100_000)]))
            }
            try expect(
                "Ben's notifications", try await bens.notifications(),
                equals: ["b created r1 entered", "b created r2 entered"])
            try expect("Anna's notifications", try await annas.notifications(), equals: ["a failed limitExceeded"])
            try await carl.save(Record("Items", "r3", ["text": String(repeating: "a", count: 400) + "b"]))
            try expect("Anna's later notifications", try await annas.notifications(), equals: ["a created r3 entered"])
        },
    ]
}
