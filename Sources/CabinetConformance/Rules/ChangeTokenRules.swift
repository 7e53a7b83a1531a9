import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// The validity of tokens.
    static let changeTokens: [ConformanceRule] = [
        ConformanceRule(
            .changes, "a token can be stored",
            law: "A token that was encoded and decoded has the same position in the changes.",
            source: .cloudKit("CKServerChangeToken.h")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a"))
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            let kept = try JSONDecoder().decode([ServerChangeToken].self, from: JSONEncoder().encode([token]))
            try expect("The token", kept, equals: [token])
            try await database.save(Record("Items", "b"))
            var device = Device(database, token: kept.first)
            try expect("The changes", try await device.update(), equals: ["+b"])
            try expect(
                "The encoded token is not text",
                (try? JSONDecoder().decode([ServerChangeToken].self, from: Data("[\"x\"]".utf8))) == nil, equals: true)
        },
        ConformanceRule(
            .changes, "a token belongs to one database and zone",
            law: "A token of another container, scope, account or zone, or of the database's changes, is refused.",
            source: .cloudKit("CKServerChangeToken.h")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a"))
            let travel = RecordZone.ID(zoneName: "Travel")
            try await database.save(RecordZone(zoneID: travel))
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            let others = [
                try world.container().publicDatabase,
                try world.container(identifier: "com.example.other").privateDatabase,
                try world.container(account: Account(userRecordName: "_ben")).privateDatabase,
            ]
            for other in others {
                try await expectError(.invalidArguments, naming: ["another database"]) {
                    try await other.recordZoneChanges(inZoneWith: .default, since: token)
                }
            }
            try await expectError(.invalidArguments, naming: ["Travel"]) {
                try await database.recordZoneChanges(inZoneWith: travel, since: token)
            }
            try await expectError(.invalidArguments) { try await database.databaseChanges(since: token) }
            let databaseToken = try await database.databaseChanges(since: nil).changeToken
            try await expectError(.invalidArguments) {
                try await database.recordZoneChanges(inZoneWith: .default, since: databaseToken)
            }
        },
        ConformanceRule(
            .changes, "reading does not consume changes",
            law: "A token can be used repeatedly, by any number of readers, and yields the same changes each time.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Items", "a"), Record("Items", "b")])
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            try await database.deleteRecord(withID: .named("a"))
            for _ in 0..<3 {
                var device = Device(database, token: token)
                try expect("The changes", try await device.update(), equals: ["-a"])
            }
        },
        ConformanceRule(
            .changes, "old deletions are forgotten",
            law:
                "Beyond the retention, deletions are forgotten. A token from before a forgotten one is changeTokenExpired; later ones are valid.",
            source: .cloudKit("CKError.h, changeTokenExpired")
        ) { world in
            let database = try world.container(changeRetention: ChangeRetention(count: 2)).privateDatabase
            try await database.saveAll((0..<6).map { Record("Items", "r\($0)") })
            var tokens = [try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken]
            for number in 0..<4 {
                try await database.deleteRecord(withID: .named("r\(number)"))
                tokens.append(try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken)
            }
            for token in tokens.prefix(2) {
                try await expectError(.changeTokenExpired) {
                    try await database.recordZoneChanges(inZoneWith: .default, since: token)
                }
            }
            var device = Device(database, token: tokens[2])
            try expect("The changes", try await device.update(), equals: ["-r2", "-r3"])
            var fresh = Device(database, pageSize: 1)
            try expect("The records", try await fresh.update(), equals: ["+r4", "+r5"])
        },
        ConformanceRule(
            .changes, "a user's first request revives no token",
            law:
                "An expired token stays expired when a user's own record is created: by a fetch, or by a save in another zone of the "
                + "public database.",
            source: .cabinet("change feed")
        ) { world in
            let travel = RecordID(recordName: "a", zoneID: RecordZone.ID(zoneName: "Travel"))
            for scope in [DatabaseScope.public, .private] {
                let container = try world.container(changeRetention: ChangeRetention(count: 2))
                let database = container.database(with: scope)
                try await database.saveAll((0..<6).map { Record("Items", "r\($0)") })
                let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
                for number in 0..<4 { try await database.deleteRecord(withID: .named("r\(number)")) }
                func expectExpired() async throws {
                    try await expectError(.changeTokenExpired) {
                        try await database.recordZoneChanges(inZoneWith: .default, since: token)
                    }
                }
                try await expectExpired()
                if scope == .public {
                    try await database.save(RecordZone(zoneID: travel.zoneID))
                    let ben = try world.container(account: Account(userRecordName: "_ben")).publicDatabase
                    try await ben.save(Record(recordType: "Items", recordID: travel))
                    try await expectExpired()
                }
                let user = scope == .public ? try world.container(account: Account(userRecordName: "_cleo")) : container
                let own = try await user.database(with: scope).record(for: try await user.userRecordID())
                try expect("The type", own.recordType, equals: "Users")
                try await expectExpired()
            }
        },
        ConformanceRule(
            .changes, "deletions are forgotten by age",
            law:
                "Deletions older than the retention's age are forgotten when new ones are added, and younger ones are not.",
            source: .cabinet("change feed")
        ) { world in
            let retention = ChangeRetention(age: 100, count: 4)
            let database = try world.container(changeRetention: retention).privateDatabase
            try await database.saveAll((0..<4).map { Record("Items", "r\($0)") })
            let first = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            try await database.deleteRecord(withID: .named("r0"))
            world.clock.advance(by: 99)
            try await database.deleteRecord(withID: .named("r1"))
            var device = Device(database, token: first)
            try expect("The changes", try await device.update(), equals: ["-r0", "-r1"])
            world.clock.advance(by: 50)
            try await database.deleteRecord(withID: .named("r2"))
            try await expectError(.changeTokenExpired) {
                try await database.recordZoneChanges(inZoneWith: .default, since: first)
            }
            try expect("The changes", try await device.update(), equals: ["-r2"])
        },
        ConformanceRule(
            .changes, "a clock that jumps forgets nothing by age",
            law:
                "A container whose clock is years ahead forgets no deletions by their age, unless it is still ahead after 30 days without an "
                + "earlier clock.",
            source: .cabinet("change feed")
        ) { world in
            let container = try world.container(changeRetention: ChangeRetention(age: 100, count: 4))
            let years = 12.0 * 365 * 86_400
            let day = 86_400.0
            for (database, distances) in [
                (container.privateDatabase, [0, years, 1, -years]),
                (container.publicDatabase, [0, 40 * day, 29 * day]),
            ] {
                try await database.saveAll((0..<4).map { Record("Items", "r\($0)") })
                let first = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
                for (number, distance) in distances.enumerated() {
                    world.clock.advance(by: distance)
                    try await database.deleteRecord(withID: .named("r\(number)"))
                }
                var device = Device(database, token: first)
                try expect("The changes", try await device.update(), equals: distances.indices.map { "-r\($0)" })
                if distances.count == 4 { continue }
                world.clock.advance(by: 2 * day)
                try await database.deleteRecord(withID: .named("r3"))
                try expect("The last change", try await device.update(), equals: ["-r3"])
                try await expectError(.changeTokenExpired) {
                    try await database.recordZoneChanges(inZoneWith: .default, since: first)
                }
            }
        },
        ConformanceRule(
            .changes, "an infinite age forgets nothing",
            law:
                "With an age that is infinite or not a number, deletions and notifications are forgotten by their count alone.",
            source: .cabinet("change feed")
        ) { world in
            for (name, age) in [("infinite", Double.infinity), ("no number", .nan)] {
                let account = Account(userRecordName: "_\(name.prefix(2))")
                let retention = ChangeRetention(age: age, count: 4)
                let database = try world.container(account: account, changeRetention: retention).privateDatabase
                try await database.save(
                    QuerySubscription(recordType: "Items", subscriptionID: "a", options: .firesOnRecordDeletion))
                try await database.saveAll((0..<4).map { Record("Items", "r\($0)") })
                let first = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
                try await database.deleteRecord(withID: .named("r0"))
                world.clock.advance(by: 1e12)
                try await database.deleteRecord(withID: .named("r1"))
                var device = Device(database, token: first)
                try expect("The changes, \(name)", try await device.update(), equals: ["-r0", "-r1"])
                let response = try await world.container(account: account).fetchNotifications(since: nil)
                try expect("The notifications, \(name)", response.notifications.count, equals: 2)
            }
        },
        ConformanceRule(
            .changes, "a recreated zone has new tokens",
            law:
                "A token of a deleted zone is zoneNotFound, and changeTokenExpired once the zone is recreated.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.save(zone)
            try await database.save(
                Record(recordType: "Items", recordID: RecordID(recordName: "a", zoneID: zone.zoneID)))
            let token = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil).changeToken
            try await database.deleteRecordZone(withID: zone.zoneID)
            for since in [token, nil] {
                try await expectError(.zoneNotFound) {
                    try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: since)
                }
            }
            try await database.save(zone)
            try await expectError(.changeTokenExpired, naming: ["Travel"]) {
                try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token)
            }
            var device = Device(database, zoneID: zone.zoneID)
            try expect("The changes", try await device.update(), equals: [])
            try await database.save(
                Record(recordType: "Items", recordID: RecordID(recordName: "b", zoneID: zone.zoneID)))
            try expect("The changes", try await device.update(), equals: ["+b"])
        },
        ConformanceRule(
            .changes, "a database reports the zones that changed",
            law: "The database's changes are the zones with changes in them, and the zones that were saved or deleted.",
            source: .cloudKit("CKFetchDatabaseChangesOperation.h")
        ) { world in
            let database = try world.privateDatabase()
            let zones = ["A", "B", "C"].map { RecordZone(zoneName: $0) }
            for zone in zones { try await database.save(zone) }
            try await database.save(Record("Items", "a"))
            var token = try await database.expectChanges(since: nil, ["+A", "+B", "+C", "+_defaultZone"])
            token = try await database.expectChanges(since: token, [])
            try await database.save(Record(recordType: "Items", recordID: RecordID(zoneID: zones[1].zoneID)))
            token = try await database.expectChanges(since: token, ["+B"])
            try await database.deleteRecord(withID: .named("a"))
            try await database.deleteRecordZone(withID: zones[2].zoneID)
            token = try await database.expectChanges(since: token, ["+_defaultZone", "-C"])
            try await database.save(zones[2])
            token = try await database.expectChanges(since: token, ["+C"])
            try await database.deleteRecordZone(withID: zones[0].zoneID)
            try await database.save(zones[0])
            _ = try await database.expectChanges(since: token, ["+A", "-A"])
            _ = try await database.expectChanges(since: nil, ["+A", "+B", "+C", "+_defaultZone"])
        },
        ConformanceRule(
            .changes, "the changed zones come in pages",
            law: "Pages of a database's changes hold at most the requested number, and together every zone.",
            source: .cloudKit("CKDatabase, databaseChanges")
        ) { world in
            let database = try world.privateDatabase()
            for name in ["A", "B", "C", "D"] { try await database.save(RecordZone(zoneName: name)) }
            let token = try await database.databaseChanges(since: nil, resultsLimit: 1).changeToken
            try await database.deleteRecordZone(withID: RecordZone.ID(zoneName: "B"))
            var found: [String] = []
            for try await page in database.databaseChangeSequence(since: token, pageSize: 2) {
                try expect(page.modifications.count + page.deletions.count <= 2, "A page has more than two zones.")
                found += page.modifications.map(\.zoneID.zoneName)
            }
            try expect("The zones", found, equals: ["C", "D"])
        },
        ConformanceRule(
            .changes, "the shared database has no changes",
            law:
                "As long as no zone is shared, the shared database has no changes, and its zones are zoneNotFound.",
            source: .cloudKit("CKFetchDatabaseChangesOperation.h")
        ) { world in
            let shared = try world.container().sharedDatabase
            _ = try await shared.expectChanges(since: nil, [])
            try await expectError(.zoneNotFound) {
                try await shared.recordZoneChanges(inZoneWith: .default, since: nil)
            }
        },
    ]
}

extension Database {
    /// Throws unless the changed zones, after a plus sign, and the deleted ones, after a minus sign, are the expected
    /// ones.
    func expectChanges(
        since token: ServerChangeToken?, _ expected: [String]
    ) async throws -> ServerChangeToken {
        let changes = try await databaseChanges(since: token)
        let found = changes.modifications.map { "+\($0.zoneID)" } + changes.deletions.map { "-\($0.zoneID)" }
        try expect("The changes", found.sorted(), equals: expected)
        try expect("Whether more changes follow", changes.moreComing, equals: false)
        return changes.changeToken
    }
}
