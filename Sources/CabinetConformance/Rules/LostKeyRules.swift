import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Zones without the keys of a user's encrypted values.
    static let lostKeys: [ConformanceRule] = [
        ConformanceRule(
            .encryption, "lost keys reset a zone",
            law:
                "With replaced keys, a zone's encrypted values fail with zoneNotFound, and the feed reports a reset, once to a client "
                + "with a token; other zones are returned.",
            source: .cloudKit("CKErrorUserDidResetEncryptedDataKey")
        ) { world in
            let keys = TestEncryption()
            let zoneID = RecordZone.ID(zoneName: "Secrets")
            let plain = try world.privateDatabase()
            for name in ["Others", "Secrets"] { try await plain.save(RecordZone(zoneName: name)) }
            var record = Record(recordType: "Secrets", recordID: RecordID(recordName: "r", zoneID: zoneID))
            record.encryptedValues["note"] = "secret"
            var inDefault = Record("Secrets", "r")
            inDefault.encryptedValues["note"] = "secret"
            let first = try world.encryptedDatabase(keys)
            for record in [record, inDefault] { try await first.save(record) }
            let before = try await first.databaseChanges(since: nil)
            try expect("The deletions", before.deletions, equals: [])
            // A device without the keys loses nothing.
            let without = try world.encryptedDatabase(TestEncryption())
            let unread = try await without.record(for: record.recordID)
            try expect(unread.encryptedValues.error(forKey: "note") != nil, "The value has no error without the key.")
            try await expectError(.permissionFailure) { [record] in try await without.save(record) }
            try expect("The deletions", try await without.databaseChanges(since: nil).deletions, equals: [])
            keys.revokeKeys()
            let database = try world.encryptedDatabase(keys)
            let lost = [
                try await expectError(.zoneNotFound) { try await database.record(for: record.recordID) },
                try await expectError(.zoneNotFound) { [record] in try await database.save(record) },
            ]
            for error in lost { try expect(error.didResetEncryptedData, "The error does not say that keys are lost.") }
            let reset = DatabaseChange.Deletion(zoneID: zoneID, reason: .encryptedDataReset)
            let changes = try await database.databaseChanges(since: nil)
            try expect("The deletions", changes.deletions, equals: [reset])
            let later = try await database.databaseChanges(since: before.changeToken)
            try expect("The deletions since a token", later.deletions, equals: [reset])
            let tokens = try JSONEncoder().encode([changes.changeToken, later.changeToken])
            for token in try JSONDecoder().decode([ServerChangeToken].self, from: tokens) {
                let rest = try await database.databaseChanges(since: token)
                try expect("The deletions after the report", rest.deletions, equals: [])
            }
            let queried = try await database.allRecords(matching: Query(recordType: "Secrets"))
            let fetched = try await database.records(for: [record.recordID, inDefault.recordID])
            try expect("The number of records", [queried.count, fetched.count], equals: [2, 2])
            for found in queried + fetched.values.compactMap({ try? $0.get() }) {
                let error = found.encryptedValues.error(forKey: "note")
                let isLost = found.recordID.zoneID == zoneID
                try expect("Whether the value is reported as lost", error?.didResetEncryptedData, equals: isLost)
            }
            try expect(
                "The other zone", changes.modifications.contains { $0.zoneID.zoneName == "Others" }, equals: true)
            // The default zone cannot be deleted: it gets a new key.
            let found = try await database.fetch("r")
            try expect(found.encryptedValues.error(forKey: "note") != nil, "The lost value has no error.")
            try await database.update(.named("r")) { $0.encryptedValues["note"] = "new" }
            try expect(
                "The new value", try await database.fetch("r").encryptedValues["note"] as String?, equals: "new")
            try await database.deleteRecordZone(withID: zoneID)
            try await database.save(RecordZone(zoneID: zoneID))
            try await database.save(record)
            let again = try await world.encryptedDatabase(keys).record(for: record.recordID)
            try expect("The value", again.encryptedValues["note"] as String?, equals: "secret")
        },
        ConformanceRule(
            .encryption, "a zone without keys fails its own records alone",
            law:
                "In a batch or a send over several zones, the records of a zone that does not exist, or whose keys are lost, fail with "
                + "zoneNotFound, and the others are saved.",
            source: .cabinet("Encrypted values")
        ) { world in
            let keys = TestEncryption()
            let (kept, lost) = (RecordZone.ID(zoneName: "Kept"), RecordZone.ID(zoneName: "Lost"))
            let missing = RecordZone.ID(zoneName: "Missing")
            func secret(_ name: String, _ zoneID: RecordZone.ID) -> Record {
                var record = Record(recordType: "Secrets", recordID: RecordID(recordName: name, zoneID: zoneID))
                record.encryptedValues["note"] = name
                return record
            }
            let first = try world.encryptedDatabase(keys)
            for zoneID in [kept, lost] { try await first.save(RecordZone(zoneID: zoneID)) }
            try await first.save(secret("old", lost))
            keys.revokeKeys()
            let database = try world.encryptedDatabase(keys)
            let sameLost = RecordZone.ID(zoneName: "Lost", ownerName: ConformanceWorld.account.userRecordName)
            let batch = [secret("a", kept), secret("b", lost), secret("c", sameLost), secret("d", missing)]
            let results = try await database.modifyRecords(saving: batch, deleting: [], atomically: false).saveResults
            try expect(
                "The failures", batch.map { results[$0.recordID]?.code },
                equals: [nil, .zoneNotFound, .zoneNotFound, .zoneNotFound])
            let failed = secret("f", missing)
            let error = try await expectError(.partialFailure) {
                try await database.save([secret("e", kept), failed])
            }
            try expect(
                "The failures of an atomic batch", error.partialErrorsByItemID.mapValues(\.code),
                equals: [failed.recordID: .zoneNotFound])
            let device = SyncDevice()
            let engine = device.engine(database)
            await device.save([secret("g", kept), secret("h", lost)], engine)
            try expect("What is sent", try await device.send(engine), equals: ["h: zoneNotFound", "sent g"])
            try expect("What is pending", engine.state.pendingRecordZoneChanges, equals: [])
            let plain = try world.privateDatabase()
            for (zoneID, names) in [(kept, ["a", "e", "g"]), (lost, ["old"])] {
                let stored = try await plain.allRecords(matching: Query(recordType: "Secrets"), inZoneWith: zoneID)
                try expect("The records in \(zoneID)", stored.map(\.recordID.recordName).sorted(), equals: names)
            }
        },
    ]
}
