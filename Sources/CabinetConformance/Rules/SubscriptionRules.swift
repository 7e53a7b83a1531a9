import Cabinet
import Foundation

extension ConformanceRule {
    /// Saving, fetching and deleting subscriptions.
    static let subscriptions: [ConformanceRule] = [
        ConformanceRule(
            .subscriptions, "a saved subscription can be fetched",
            law:
                "A saved subscription is fetched by ID and listed, until it is deleted; an unknown one is an unknownItem.",
            source: .cloudKit("CKDatabase.h")
        ) { world in
            for database in [try world.container().privateDatabase, try world.container().publicDatabase] {
                var query = QuerySubscription(
                    recordType: "Items", filter: try Filter("number > %@ AND name != 'x'", Double.infinity),
                    subscriptionID: "a", options: [.firesOnRecordUpdate, .firesOnce])
                query.zoneID = .default
                query.desiredKeys = ["name"]
                try expect("The saved subscriptions", try await database.save(query), equals: query)
                try await database.save(RecordZoneSubscription(zoneID: .default, subscriptionID: "b"))
                try await database.save(DatabaseSubscription(subscriptionID: "c", recordType: "Items"))
                try expect("The first", try await database.subscription(for: "a"), equals: .query(query))
                let found = try await database.subscriptions(for: ["c", "none", "b"])
                try expect("The number of results", found.count, equals: 3)
                try expect(
                    "The second", try require(found["b"], "b").get(),
                    equals: .recordZone(RecordZoneSubscription(zoneID: .default, subscriptionID: "b")))
                try await expectFailure(found["none"], .unknownItem, naming: ["none"])
                try await database.save(DatabaseSubscription(subscriptionID: "b"))
                let all = try await database.allSubscriptions()
                try expect("All", all.map(\.subscriptionID), equals: ["a", "b", "c"])
                try expect("Their types", all.map(\.subscriptionType), equals: [.query, .database, .database])
                try expect(
                    "The deleted subscriptions", try await database.deleteSubscription(withID: "b"), equals: "b")
                try await expectError(.unknownItem) { try await database.deleteSubscription(withID: "b") }
                try await expectError(.unknownItem) { try await database.subscription(for: "b") }
                try expect(
                    "The remaining subscriptions", try await database.allSubscriptions().map(\.subscriptionID),
                    equals: ["a", "c"])
            }
        },
        ConformanceRule(
            .subscriptions, "subscriptions belong to their user and their database",
            law: "A user cannot find or delete subscriptions of other users, and not those of another database.",
            source: .cabinet("subscriptions")
        ) { world in
            let anna = try world.container()
            let ben = try world.container(account: Account(userRecordName: "_ben"))
            try await anna.publicDatabase.save(DatabaseSubscription(subscriptionID: "a"))
            try await anna.publicDatabase.save(DatabaseSubscription(subscriptionID: "b"))
            try await ben.publicDatabase.save(DatabaseSubscription(subscriptionID: "a", recordType: "Items"))
            try await expectError(.unknownItem) { try await ben.publicDatabase.deleteSubscription(withID: "b") }
            try await expectError(.unknownItem) { try await anna.privateDatabase.subscription(for: "a") }
            try await ben.publicDatabase.deleteSubscription(withID: "a")
            let names = try await anna.publicDatabase.allSubscriptions().map(\.subscriptionID)
            try expect("Anna's subscriptions", names, equals: ["a", "b"])
            try expect("Ben's subscriptions", try await ben.publicDatabase.allSubscriptions().count, equals: 0)
            try expect("The private subscriptions", try await anna.privateDatabase.allSubscriptions().count, equals: 0)
        },
        ConformanceRule(
            .subscriptions, "similar subscriptions are different",
            law: "Filters whose texts differ only in the composition of their characters stay different.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            let texts = ["\u{E9}", "e\u{301}"]
            for text in texts {
                try await database.save(
                    QuerySubscription(
                        recordType: "Items", filter: .compare("x", .equal, text), subscriptionID: "a",
                        options: .firesOnRecordCreation))
                var listener = try await Listener(world)
                try await database.saveAll(
                    texts.enumerated().map { Record("Items", "\(text.unicodeScalars.count)-\($0)", ["x": $1]) })
                let expected = texts.firstIndex { $0.unicodeScalars.elementsEqual(text.unicodeScalars) } ?? -1
                try expect(
                    "The notifications", try await listener.notifications(),
                    equals: ["a created \(text.unicodeScalars.count)-\(expected) entered"])
            }
        },
        ConformanceRule(
            .subscriptions, "several subscriptions are saved and deleted at once",
            law: "modifySubscriptions applies every item that can succeed, and returns a result for each.",
            source: .cloudKit("CKModifySubscriptionsOperation.h")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(DatabaseSubscription(subscriptionID: "old"))
            let bad = QuerySubscription(recordType: "Items", subscriptionID: "bad", options: .firesOnce)
            let (saved, deleted) = try await database.modifySubscriptions(
                saving: [.query(bad), .database(DatabaseSubscription(subscriptionID: "new"))],
                deleting: ["old", "none"])
            try await expectFailure(saved["bad"], .invalidArguments, naming: ["bad", "firesOnRecordCreation"])
            _ = try require(saved["new"], "new").get()
            try require(deleted["old"], "old").get()
            try await expectFailure(deleted["none"], .unknownItem)
            try expect(
                "The subscriptions", try await database.allSubscriptions().map(\.subscriptionID), equals: ["new"])
            try await expectError(.invalidArguments, naming: ["new"]) {
                try await database.modifySubscriptions(
                    saving: [.database(DatabaseSubscription(subscriptionID: "new"))], deleting: ["new"])
            }
        },
        ConformanceRule(
            .subscriptions, "an invalid subscription is refused",
            law: "Malformed names, no event, key paths, filters that do not fit the schema, and unknown zones fail.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["x": 1]))
            func refuse(_ code: CabinetError.Code, _ subscription: Subscription) async throws {
                try await expectError(code) { try await database.save(subscription) }
            }
            func query(_ filter: String, _ type: String = "Items", keys: [String] = []) throws -> Subscription {
                .query(
                    QuerySubscription(
                        recordType: type, filter: try Filter(format: filter, arguments: []),
                        options: .firesOnRecordUpdate, desiredKeys: keys))
            }
            for id in ["", "ä", String(repeating: "a", count: 256)] {
                try await refuse(.invalidArguments, .database(DatabaseSubscription(subscriptionID: id)))
            }
            try await refuse(.invalidArguments, try query("x == 1", "1x"))
            try await refuse(.invalidArguments, try query("x == 1", "Users"))
            try await refuse(.invalidArguments, try query("x == 1", keys: ["a b"]))
            try await refuse(.invalidArguments, try query("ANY x == 1"))
            try await refuse(.invalidArguments, try query("list.name == 'a'"))
            try await refuse(.invalidArguments, try query("lists[0].name == 'a'"))
            try await database.save(try query("tags.@count == 2"))
            try await refuse(.invalidArguments, .database(DatabaseSubscription(recordType: "a b")))
            let unknown = RecordZone.ID(zoneName: "Unknown")
            try await refuse(.zoneNotFound, .recordZone(RecordZoneSubscription(zoneID: unknown)))
            try await refuse(
                .zoneNotFound,
                .query(QuerySubscription(recordType: "Items", zoneID: unknown, options: .firesOnRecordUpdate)))
        },
        ConformanceRule(
            .subscriptions, "the shared database accepts database subscriptions",
            law:
                "Query and zone subscriptions in the shared database fail with badDatabase; database subscriptions can be saved.",
            source: .cloudKit("CKSubscription.h")
        ) { world in
            let database = try world.container().sharedDatabase
            try await expectError(.badDatabase) {
                try await database.save(QuerySubscription(recordType: "Items", options: .firesOnRecordUpdate))
            }
            try await expectError(.badDatabase) { try await database.save(RecordZoneSubscription(zoneID: .default)) }
            try await database.save(DatabaseSubscription(subscriptionID: "a"))
            try expect("The subscriptions", try await database.allSubscriptions().count, equals: 1)
        },
        ConformanceRule(
            .subscriptions, "subscriptions need an account",
            law:
                "Saving and fetching subscriptions, and fetching notifications, need an account, in the public database too.",
            source: .cabinet("subscriptions")
        ) { world in
            let container = try world.container(account: nil)
            try await expectError(.notAuthenticated) {
                try await container.publicDatabase.save(DatabaseSubscription())
            }
            try await expectError(.notAuthenticated) { try await container.publicDatabase.allSubscriptions() }
            try await expectError(.notAuthenticated) { try await container.fetchNotifications(since: nil) }
        },
        ConformanceRule(
            .subscriptions, "a filter that no longer fits the schema does not prevent saving",
            law: "A subscription whose filter no longer fits the schema is reported, and saves succeed.",
            source: .cabinet("subscriptions")
        ) { world in
            let database = try world.privateDatabase()
            var listener = try await Listener(world)
            try await database.save(
                QuerySubscription(
                    recordType: "Items", filter: try Filter("ANY x == 1"), subscriptionID: "a",
                    options: [.firesOnRecordCreation, .firesOnRecordUpdate]))
            try await database.save(
                QuerySubscription(recordType: "Items", subscriptionID: "b", options: .firesOnRecordCreation))
            try await database.save(Record("Items", "r", ["x": 1]))
            try expect(
                "The reports", try await listener.notifications(),
                equals: ["a failed invalidArguments", "b created r entered"])
        },
    ]
}

/// A device of a user that polls its notifications.
struct Listener {
    private let container: Container
    private let includesOwnChanges: Bool
    private(set) var token: NotificationToken

    /// Starts with the notifications that follow.
    ///
    /// - Parameters:
    ///   - world: The world.
    ///   - container: The device; by default a new one of the account.
    ///   - includesOwnChanges: Whether the device receives notifications of its own changes.
    init(_ world: ConformanceWorld, _ container: Container? = nil, includesOwnChanges: Bool = false) async throws {
        self.container = try container ?? world.container()
        self.includesOwnChanges = includesOwnChanges
        token = try await self.container.fetchNotifications(since: nil).token
    }

    /// The notifications since the last call: `a created r entered`.
    mutating func notifications() async throws -> [String] {
        let page = try await container.fetchNotifications(since: token, includingOwnChanges: includesOwnChanges)
        token = page.token
        return page.notifications.map(\.text)
    }
}

extension SubscriptionNotification {
    /// The notification in words.
    var text: String {
        switch event {
        case .query(let event):
            "\(subscriptionID) \(String(describing: event.reason).dropFirst("record".count).lowercased()) "
                + "\(event.recordID) \(event.transition)"
        case .recordZone(let zoneID): "\(subscriptionID) zone \(zoneID.zoneName)"
        case .database: "\(subscriptionID) database \(databaseScope)"
        case .manyChanges: "many changes"
        case .failure(let failure): "\(subscriptionID) failed \(failure.code)"
        }
    }
}
