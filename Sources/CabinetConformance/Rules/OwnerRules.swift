import Cabinet
import Foundation

extension ConformanceRule {
    /// The two names of the owner of a user's own zones.
    static let owners: [ConformanceRule] = [
        ConformanceRule(
            .zones, "a user's own name means the user's own zone",
            law:
                "A zone ID with the account's own record name is the same zone as with the placeholder, which is the name returned.",
            source: .cloudKit("CKRecordZone.ID, ownerName")
        ) { world in
            for database in [try world.container().privateDatabase, try world.container().publicDatabase] {
                let (zoneID, named) = (RecordZone.ID(zoneName: "Travel"), RecordZone.ID.named("Travel"))
                let saved = try await database.modifyRecordZones(saving: [RecordZone(zoneID: named)], deleting: [])
                try expect("The zone", try saved.saveResults[named]?.get().zoneID, equals: zoneID)
                try expect("The same zone", try await database.recordZone(for: named).zoneID, equals: zoneID)
                try expect("The zones", try await database.allRecordZones().map(\.zoneID), equals: [zoneID, .default])

                var trip = Record(recordType: "Trips", recordID: RecordID(recordName: "lisbon", zoneID: named))
                trip["name"] = "Lisbon"
                trip = try await database.save(trip)
                let id = RecordID(recordName: "lisbon", zoneID: zoneID)
                try expect("The saved record's ID", trip.recordID, equals: id)
                for (requested, other) in [
                    (id, RecordID(recordName: "none", zoneID: named)), (.init("lisbon", named), id),
                ] {
                    let found = try await database.records(for: [requested, other])
                    try expect("The keys", Set(found.keys), equals: [requested, other])
                    try expect("The fetched record", try found[requested]?.get(), equals: trip)
                }
                try await expectError(.invalidArguments) {
                    try await database.modifyRecords(saving: [trip], deleting: [.init("lisbon", named)])
                }
                try await database.deleteRecord(withID: .init("lisbon", named))
                try await expectError(.unknownItem) { try await database.record(for: id) }
                try expect("The deleted zone", try await database.deleteRecordZone(withID: named), equals: named)
                try await expectError(.zoneNotFound) { try await database.recordZone(for: zoneID) }
            }
        },
        ConformanceRule(
            .zones, "a user's own name means the user's own zone in references",
            law: "References, parents and filters may name the zone's owner either way.",
            source: .cloudKit("CKRecordZone.ID, ownerName")
        ) { world in
            let database = try world.privateDatabase()
            let named = RecordZone.ID.named(RecordZone.ID.defaultZoneName)
            let list = try await database.save(Record("Lists", "list"))
            var item = Record("Items", "milk")
            item["list"] = Reference(recordID: .init("list", named), action: .deleteSelf)
            item["others"] = [Reference(recordID: .init("list", named), action: .none)]
            item.parent = Reference(recordID: .init("list", named), action: .none)
            let decoded = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(item))
            item = try await database.save(decoded)
            let reference = Reference(record: list, action: .deleteSelf)
            try expect("The reference", item["list"] as? Reference, equals: reference)
            try expect("The parent", item.parent?.recordID, equals: list.recordID)
            try expect(
                "The references", item["others"] as? [Reference],
                equals: [Reference(recordID: list.recordID, action: .none)])

            let filters = try [
                Filter("list == %@", Reference(recordID: .init("list", named), action: .none)),
                Filter("NOT list != %@", Reference(recordID: .init("list", named), action: .none)),
                Filter("list IN %@", [Reference(recordID: .init("list", named), action: .none)]),
            ]
            for filter in filters {
                let query = Query(recordType: "Items", filter: filter)
                for zoneID in [nil, named, .default] {
                    let found = try await database.records(matching: query, inZoneWith: zoneID).matchResults
                    try expect("The records of \(filter)", found.map(\.0), equals: [item.recordID])
                    try expect("The number", try await database.count(matching: query, inZoneWith: zoneID), equals: 1)
                }
            }
            item.parent = nil
            try await database.save(item)
            try await database.deleteRecord(withID: .init("list", named))
            try await expectError(.unknownItem) { try await database.fetch("milk") }
        },
        ConformanceRule(
            .zones, "a user's own name means the user's own zone in changes",
            law: "Change tokens, subscriptions and observed queries may name the zone's owner either way.",
            source: .cloudKit("CKRecordZone.ID, ownerName")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            let zoneID = try await database.save(RecordZone(zoneName: "Travel")).zoneID
            let named = RecordZone.ID.named("Travel")
            try await database.save(RecordZoneSubscription(zoneID: named, subscriptionID: "zone"))
            try await database.save(
                QuerySubscription(
                    recordType: "Trips", subscriptionID: "query", zoneID: named, options: .firesOnRecordCreation))
            for subscription in try await database.allSubscriptions() {
                switch subscription {
                case .recordZone(let zone): try expect("The zone", zone.zoneID, equals: zoneID)
                case .query(let query): try expect("The zone", query.zoneID, equals: zoneID)
                case .database: break
                }
            }
            let (_, _, first, _) = try await database.recordZoneChanges(inZoneWith: named, since: nil)
            try await database.save(Record(recordType: "Trips", recordID: .init("lisbon", named)))
            for (requested, token) in [(zoneID, first), (named, first)] {
                let changes = try await database.recordZoneChanges(inZoneWith: requested, since: token)
                try expect(
                    "The changes", Array(changes.modificationResultsByID.keys), equals: [.init("lisbon", zoneID)])
            }
            // A client of another language sends the name itself.
            var request = FetchZoneChangesRequest(in: .private)
            request.zoneID = named
            let caller = Caller(account: ConformanceWorld.account, deviceID: "browser")
            let response = try await container.service.perform(request, for: caller)
            try expect("The requested changes", response.records.map(\.recordID), equals: [.init("lisbon", zoneID)])
            let notifications = try await container.fetchNotifications(since: nil, includingOwnChanges: true)
                .notifications
            try expect(
                "The subscriptions that fired", Set(notifications.map(\.subscriptionID)), equals: ["zone", "query"])
        },
    ]
}

extension RecordZone.ID {
    /// A zone with the name of the rules' account.
    fileprivate static func named(_ zoneName: String) -> RecordZone.ID {
        RecordZone.ID(zoneName: zoneName, ownerName: ConformanceWorld.account.userRecordName)
    }
}

extension RecordID {
    fileprivate init(_ recordName: String, _ zoneID: RecordZone.ID) {
        self.init(recordName: recordName, zoneID: zoneID)
    }
}
