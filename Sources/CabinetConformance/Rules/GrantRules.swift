import Cabinet
import Foundation

extension ConformanceRule {
    /// The consequences of grants for zones, errors, change tokens and observers.
    static let grants: [ConformanceRule] = [
        ConformanceRule(
            .accounts, "a zone with records that only a role may change is deleted by the role",
            law:
                "A zone's creator cannot delete it while it has records of a type whose WRITE is granted to roles alone, and nothing is "
                + "deleted.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let grants: [String: Set<Schema.Permission>] = [
                "_world": [.read], "_icloud": [.create], "Editor": [.write],
            ]
            let users = try await world.users(grants: grants)
            let zones = ["Travel", "Notes"].map { RecordZone(zoneName: $0) }
            for zone in zones { try await users.anna.save(zone) }
            let travel = RecordID(recordName: "milk", zoneID: zones[0].zoneID)
            try await users.ben.save(Record(recordType: "Items", recordID: travel))
            try await users.ben.save(
                Record(recordType: "Others", recordID: RecordID(recordName: "a", zoneID: zones[1].zoneID)))
            let results = try await users.anna.modifyRecordZones(saving: [], deleting: zones.map(\.zoneID))
                .deleteResults
            try await expectFailure(
                results[zones[0].zoneID], .permissionFailure, naming: ["WRITE on Items", "Editor", "Travel"])
            try require(results[zones[1].zoneID], "The result of the other zone").get()
            try expect("The record", try await users.ben.record(for: travel).recordID, equals: travel)
            try await users.editor.deleteRecord(withID: travel)
            try await users.anna.deleteRecordZone(withID: zones[0].zoneID)
            try expect("The zones", try await users.anna.allRecordZones().map(\.zoneID), equals: [.default])
        },
        ConformanceRule(
            .accounts, "a refusal does not name the creator of an unreadable record",
            law: "permissionFailure names a record's creator only to users who may read the record.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let users = try await world.users(grants: ["_icloud": [.create], "_creator": [.read, .write]])
            try await users.anna.save(Record("Items", "milk"))
            var errors = [
                try await expectError(.permissionFailure, naming: ["_creator"], about: .named("milk")) {
                    try await users.ben.deleteRecord(withID: .named("milk"))
                }
            ]
            errors.append(try await expectError(.permissionFailure) { try await users.ben.fetch("milk") })
            errors.append(
                try await expectError(.permissionFailure) { try await users.ben.save(Record("Items", "milk")) })
            for error in errors {
                try expect(!error.message.contains("_anna"), "The error names the creator: \(error.message)")
            }
        },
        ConformanceRule(
            .accounts, "a change token expires when its user may read other records",
            law:
                "Tokens of the public database and its zones expire when grants or roles change what their user may read, and by no other "
                + "grant.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let closed: [String: Set<Schema.Permission>] = ["_icloud": [.create], "Editor": [.read]]
            let users = try await world.users(grants: closed)
            try await users.editor.save(Record("Items", "milk"))
            try await users.editor.save(Record("Others", "note"))
            var device = Device(users.ben)
            try expect("The changes", try await device.update(), equals: ["+note"])
            let all = try await users.ben.databaseChanges(since: nil).changeToken
            // The user gets the role: a container has it when it is created.
            let promoted = try world.container(
                account: Account(userRecordName: "_ben", roles: ["Editor"])
            ).publicDatabase
            let stored = try JSONDecoder().decode(
                [ServerChangeToken].self, from: JSONEncoder().encode([try require(device.token, "The token")]))
            try await expectError(.changeTokenExpired, naming: ["roles"]) {
                try await promoted.recordZoneChanges(inZoneWith: .default, since: stored.first)
            }
            try await expectError(.changeTokenExpired) { try await promoted.databaseChanges(since: all) }
            var fresh = Device(promoted)
            try expect("The changes with the role", try await fresh.update(), equals: ["+milk", "+note"])
            // A grant of WRITE changes nothing for readers.
            try await world.deploy(grants: ["_icloud": [.create, .write], "Editor": [.read]])
            try expect("The changes", try await device.update(), equals: [])
            try await world.deploy(grants: ["_icloud": [.create], "_world": [.read]])
            try await expectError(.changeTokenExpired) { try await device.update() }
            device = Device(users.ben)
            try expect("The changes with the grant", try await device.update(), equals: ["+milk", "+note"])
            try await world.deploy(grants: closed)
            try await expectError(.changeTokenExpired) { try await device.update() }
            let own = try world.privateDatabase()
            try await own.save(Record("Items", "own"))
            var privateDevice = Device(own)
            try expect("The private changes", try await privateDevice.update(), equals: ["+own"])
            try await world.deploy(grants: ["_world": [.read]])
            try expect("The private changes", try await privateDevice.update(), equals: [])
        },
        ConformanceRule(
            .accounts, "an observer follows the grants",
            law: "A change of the grants gives an observer the records that it may read now, or permissionFailure.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let own: [String: Set<Schema.Permission>] = ["_icloud": [.create], "_creator": [.read]]
            let users = try await world.users(grants: own)
            try await users.anna.save(Record("Items", "a"))
            try await users.ben.save(Record("Items", "b"))
            var probe = try ObservationProbe(users.ben, Query(recordType: "Items"))
            try await probe.expectNext(["b"])
            try await world.deploy(grants: ["_icloud": [.create], "_world": [.read]])
            try await probe.expectFinally(["a", "b"])
            try await world.deploy(grants: own)
            try await probe.expectFinally(["b"])
            try await world.deploy(grants: ["Editor": [.read]])
            try await expectError(.permissionFailure) { while true { try await probe.next() } }
        },
    ]
}
