import Cabinet
import Foundation

extension ConformanceRule {
    /// Attempts of one user to reach another's private database, with every call and value that leads to records.
    static let reach: [ConformanceRule] = [
        ConformanceRule(
            .accounts, "another user's cursor and tokens lead nowhere",
            law: "A cursor, change token or notification token of one user's private database is refused for another.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let (anna, ben) = try world.annaAndBen()
            let own = anna.privateDatabase
            let database = ben.privateDatabase
            for database in [own, database] { try await database.save(RecordZone(zoneName: "zone")) }
            try await own.saveAll((1...3).map { Record("Items", "secret \($0)", ["name": "x"]) })
            try await database.save(Record("Items", "own"))
            let page = try await own.records(matching: Query(recordType: "Items"), resultsLimit: 1)
            let cursor = try require(page.queryCursor, "The cursor")
            let copy = try JSONDecoder().decode(Query.Cursor.self, from: JSONEncoder().encode(cursor))
            for cursor in [cursor, copy] {
                try await expectError(.invalidArguments) { try await database.records(continuingMatchFrom: cursor) }
            }
            let tokens = [
                try await own.recordZoneChanges(inZoneWith: .default, since: nil).changeToken,
                try await own.databaseChanges(since: nil).changeToken,
            ]
            let notificationToken = try await anna.fetchNotifications(since: nil).token
            try await own.save(Record("Items", "secret 4"))
            for token in tokens {
                try await expectError(.invalidArguments) {
                    try await database.recordZoneChanges(inZoneWith: .default, since: token)
                }
                try await expectError(.invalidArguments) { try await database.databaseChanges(since: token) }
            }
            try await expectError(.invalidArguments) { try await ben.fetchNotifications(since: notificationToken) }
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            try expect("The changes", changes.modificationResultsByID.keys.map(\.recordName), equals: ["own"])
        },
        ConformanceRule(
            .accounts, "no call reads another user's private records",
            law:
                "Fetches, queries, aggregates, key paths, live queries and changes of one user have no record of another, with any ID.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let (anna, ben) = try world.annaAndBen()
            let (own, database) = (anna.privateDatabase, ben.privateDatabase)
            try await own.save(RecordZone(zoneName: "secrets"))
            try await own.saveAll([
                Record("Lists", "list", ["name": "secret"]),
                Record("Items", "milk", ["number": 7, "list": Reference("list", .deny)]),
            ])
            let zones = [
                RecordZone.ID(zoneName: "secrets"), RecordZone.ID(zoneName: "secrets", ownerName: "_anna"),
                RecordZone.ID(zoneName: RecordZone.ID.defaultZoneName, ownerName: "_anna"),
            ]
            for zoneID in zones {
                let id = RecordID(recordName: "milk", zoneID: zoneID)
                for database in [database, ben.sharedDatabase, ben.publicDatabase] {
                    let result = try await database.records(for: [id])[id]
                    try expect((try? result?.get()) == nil, "The record was fetched with the ID \(id).")
                    let zone = try await database.recordZones(for: [zoneID])[zoneID]
                    try expect((try? zone?.get()) == nil, "The zone \(zoneID) was fetched.")
                }
                try await expectError(.zoneNotFound) {
                    try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
                }
                try await expectError(.zoneNotFound) {
                    try await database.count(matching: Query(recordType: "Items"), inZoneWith: zoneID)
                }
            }
            // The reference has the ID of the other user's record, and leads to none.
            try await database.save(Record("Items", "own", ["number": 1, "list": Reference("list")]))
            let query = Query(recordType: "Items", sortedBy: ["number"])
            try expect("The names", try await database.names(), equals: ["own"])
            try expect("The count", try await database.count(matching: query), equals: 1)
            try expect("The sum", try await database.sum(of: "number", matching: query), equals: 1)
            try expect("The counts", try await database.counts(by: "number", matching: query).map(\.count), equals: [1])
            try expect("The lists", try await database.names("Lists"), equals: [])
            let path = try Filter("list.name == 'secret'")
            try expect("The records by key path", try await database.names(where: path), equals: [])
            var probe = try ObservationProbe(database, query)
            try await probe.expectNext(["own"])
            try await own.save(Record("Items", "more", ["number": 0]))
            try await database.save(Record("Items", "own 2", ["number": 2]))
            try await probe.expectFinally(["own", "own 2"])
        },
        ConformanceRule(
            .accounts, "no call changes another user's private records",
            law:
                "Saves under every policy, deletions, and deletions of zones of one user leave another's records and zones unchanged.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let (anna, ben) = try world.annaAndBen()
            let (own, database) = (anna.privateDatabase, ben.privateDatabase)
            let zone = try await own.save(RecordZone(zoneName: "secrets"))
            let record = try await own.save(Record("Items", "milk", ["number": 7]))
            for policy in RecordSavePolicy.allCases {
                // The policy allKeys saves a record of the user's own.
                if policy == .allKeys {
                    try await database.save(record.with(["number": 8]), savePolicy: policy)
                } else {
                    try await expectError(.unknownItem, about: record.recordID) {
                        try await database.save(record.with(["number": 8]), savePolicy: policy)
                    }
                }
            }
            try await database.deleteRecord(withID: record.recordID)
            for owner in [RecordZone.ID.defaultOwnerName, "_anna"] {
                try await expectError(.zoneNotFound) {
                    try await database.deleteRecordZone(withID: RecordZone.ID(zoneName: "secrets", ownerName: owner))
                }
            }
            try expect("The record", try await own.fetch("milk"), equals: record)
            try expect("The zone", try await own.recordZone(for: zone.zoneID).zoneID, equals: zone.zoneID)
        },
        ConformanceRule(
            .accounts, "another user's subscriptions are out of reach",
            law: "Subscriptions and notifications of one user are not fetched or deleted by another, through any ID.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let (anna, ben) = try world.annaAndBen()
            for (first, second) in [
                (anna.privateDatabase, ben.privateDatabase), (anna.publicDatabase, ben.publicDatabase),
            ] {
                try await first.save(
                    QuerySubscription(
                        recordType: "Items", filter: .constant(true), subscriptionID: "secret",
                        options: [.firesOnRecordCreation], desiredKeys: ["name"]))
                try await expectError(.unknownItem) { try await second.subscription(for: "secret") }
                try await expectError(.unknownItem) { try await second.deleteSubscription(withID: "secret") }
                try expect("The subscriptions", try await second.allSubscriptions(), equals: [])
                try await first.save(Record("Items", "milk", ["name": "x"]))
            }
            let found = try await ben.fetchNotifications(since: nil).notifications
            try expect("The notifications", found.count, equals: 0)
            let own = try await world.container().fetchNotifications(since: nil).notifications
            try expect("The user's own notifications", own.count, equals: 2)
        },
        ConformanceRule(
            .assets, "another user's checksum does not give the bytes",
            law:
                "A record with the checksum of another user's asset is not saved, because the bytes belong to a database.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let (anna, ben) = try world.annaAndBen()
            let secret = try await anna.privateDatabase.save(
                Record("Notes", "note", ["file": Asset(data: AssetSamples.bytes(1000))]))
            let known = try JSONDecoder().decode([Record].self, from: JSONEncoder().encode([secret]))[0]
            for database in [ben.privateDatabase, ben.publicDatabase] {
                try await expectError(.assetNotAvailable) {
                    try await database.save(Record("Notes", "copy", ["file": try known.asset()]))
                }
            }
            let stored = try await world.storedAssets(in: .private(owner: "_ben"))
            try expect("The other user's assets", stored, equals: [])
        },
    ]
}

extension ConformanceWorld {
    /// The containers of two users.
    fileprivate func annaAndBen() throws -> (anna: Container, ben: Container) {
        (try container(), try container(account: Account(userRecordName: "_ben")))
    }
}
