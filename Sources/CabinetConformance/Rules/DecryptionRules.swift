import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Encrypted values in containers with keys.
    static let decryption: [ConformanceRule] = [
        ConformanceRule(
            .encryption, "a program with the keys reads what it encrypted",
            law:
                "An encrypted value of every type is read unchanged by any device with the keys; the store has its "
                + "ciphertext alone.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let keys = TestEncryption()
            let database = try world.encryptedDatabase(keys)
            let values: [(String, any RecordValue)] = [
                ("text", "milk and honey"), ("empty", ""), ("number", Int64.max), ("fraction", 0.1),
                ("date", Date(timeIntervalSinceReferenceDate: 0.1)), ("bytes", Data(0...255)),
                ("place", Location(latitude: 1, longitude: 2, altitude: 3)), ("texts", ["a", "b"]), ("none", [Int]()),
                ("numbers", [1, 2]), ("dates", [Date.distantPast]), ("all", [Data(), Data([1])]),
            ]
            for zoneID in [RecordZone.ID.default, RecordZone.ID(zoneName: "Secrets")] {
                if zoneID != .default { try await database.save(RecordZone(zoneID: zoneID)) }
                var record = Record(recordType: "Secrets", recordID: RecordID(recordName: "r", zoneID: zoneID))
                record["plain"] = "visible"
                for (key, value) in values { record.encryptedValues[key] = value }
                let saved = try await database.save(record)
                let other = try world.encryptedDatabase(keys)
                let changes = try await other.recordZoneChanges(inZoneWith: zoneID, since: nil)
                let query = Query(recordType: "Secrets")
                let found = [
                    saved, try await other.record(for: record.recordID),
                    try require(
                        try await other.allRecords(matching: query, inZoneWith: zoneID).first, "The queried record"),
                    try require(changes.modificationResultsByID[record.recordID], "The change").get().record,
                ]
                for found in found {
                    for (key, value) in values {
                        let read = found.encryptedValues[key]?.fieldValue
                        try expect("The value of \(key)", read, equals: value.fieldValue)
                        try expect("The plain value of \(key)", found.fieldValue(key), equals: nil)
                        try expect(found.encryptedValues.error(forKey: key) == nil, "\(key) has an error.")
                    }
                    try expect("The changed keys", found.changedKeys(), equals: [])
                    try expect("The other field", found["plain"], equals: "visible")
                }
                let stored = try await world.privateDatabase().record(for: record.recordID)
                try expect("The keys in the store", stored.allKeys(), equals: ["plain"])
                try expect("The value in the store", stored.encryptedValues["text"] as String?, equals: nil)
                try expect(stored.encryptedValues.error(forKey: "text") != nil, "The value has no error without a key.")
                guard case .encrypted(let value)? = stored.fields["text"] else {
                    return try expect(false, "The store has the field \(stored.fields["text"] as Any).")
                }
                let ciphertext = try require(value.ciphertext, "The ciphertext")
                try expect(ciphertext.range(of: Data("honey".utf8)) == nil, "The store has the plain text.")
            }
        },
        ConformanceRule(
            .encryption, "a value that was not encrypted is not saved",
            law:
                "Without a key store, a save of an encrypted value is refused; so are references and assets. Nothing is "
                + "stored.",
            source: .cabinet("Encrypted values")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Secrets", "r", ["name": "r"]))
            let values: [any RecordValue] = [
                "text", 1, [1, 2], Location(latitude: 1, longitude: 2), Reference("r"), Asset(data: Data([1])),
            ]
            for value in values {
                var record = Record("Secrets", "s", ["name": "s"])
                record.encryptedValues["new"] = value
                try await expectError(.invalidArguments, about: .named("s"), in: "new") {
                    try await database.save(record)
                }
            }
            let encrypted = try world.encryptedDatabase(TestEncryption())
            var record = Record("Secrets", "s")
            record.encryptedValues["new"] = Date(timeIntervalSinceReferenceDate: .infinity)
            try await expectError(.invalidArguments, about: .named("s"), in: "new") {
                try await encrypted.save(record)
            }
            try expect("The records", try await database.names("Secrets"), equals: ["r"])
            try expect("The record", try await database.fetch("r")["name"], equals: "r")
        },
        ConformanceRule(
            .encryption, "an equal value is not encrypted again",
            law:
                "A save of a record sends the encrypted values that changed alone, so that the others keep their ciphertexts.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let keys = TestEncryption()
            let database = try world.encryptedDatabase(keys)
            var record = Record("Secrets", "r", ["name": "n"])
            record.encryptedValues["a"] = "a"
            record.encryptedValues["b"] = 1
            record = try await database.save(record)
            let before = try await world.privateDatabase().fetch("r")
            record.encryptedValues["a"] = "a"
            try expect("The changed keys", record.changedKeys(), equals: [])
            record.encryptedValues["b"] = 2
            record["name"] = "m"
            try expect("The changed encrypted keys", record.encryptedValues.changedKeys(), equals: ["b"])
            record = try await database.save(record)
            let after = try await world.privateDatabase().fetch("r")
            try expect("The ciphertext", after.fields["a"], equals: before.fields["a"])
            try expect(after.fields["b"] != before.fields["b"], "The changed value has the old ciphertext.")
            record.encryptedValues["b"] = nil
            try await database.save(record)
            let last = try await database.fetch("r")
            try expect("The value", last.encryptedValues["a"] as String?, equals: "a")
            try expect("The removed value", last.encryptedValues.allKeys(), equals: ["a"])
        },
        ConformanceRule(
            .encryption, "a ciphertext cannot be moved",
            law:
                "A ciphertext that is copied to another field, record or zone, or is damaged, is an error of that field alone.",
            source: .cabinet("Encrypted values")
        ) { world in
            let keys = TestEncryption()
            let database = try world.encryptedDatabase(keys)
            var record = Record("Secrets", "r", ["name": "n"])
            for key in ["a", "b", "c"] { record.encryptedValues[key] = key }
            try await database.save(record)
            let plain = try world.privateDatabase()
            var moved = try await plain.fetch("r")
            moved.setFieldValue(moved.fields["b"], forKey: "a")
            let damaged = EncryptedValue(.encryptedString, ciphertext: Data("no ciphertext".utf8))
            moved.setFieldValue(damaged.map { .encrypted($0) }, forKey: "c")
            try await plain.save(moved)
            var copy = Record("Secrets", "copy")
            copy.setFieldValue(moved.fields["b"], forKey: "b")
            try await plain.save(copy)
            let found = try await database.fetch("r")
            for (key, value) in [("a", nil), ("b", "b"), ("c", nil)] as [(String, String?)] {
                try expect("The value of \(key)", found.encryptedValues[key] as String?, equals: value)
                let error = found.encryptedValues.error(forKey: key)
                try expect("The field of the error", error?.fieldKey, equals: value == nil ? key : nil)
            }
            try expect("The plain field", found["name"], equals: "n")
            let copied = try await database.fetch("copy")
            try expect("The copied value", copied.encryptedValues["b"] as String?, equals: nil)
            // The record can be saved, and keeps what cannot be read.
            try await database.save(found.with(["name": "m"]))
            let kept = try await plain.fetch("r")
            try expect("The ciphertext", kept.fields["a"], equals: moved.fields["b"])
        },
        ConformanceRule(
            .encryption, "conflicts, transactions and observers have decrypted values",
            law:
                "The server's record of a conflict, the reads of a transaction and the states of a live query are decrypted.",
            source: .cabinet("Encrypted values")
        ) { world in
            let keys = TestEncryption()
            let (database, other) = (try world.encryptedDatabase(keys), try world.encryptedDatabase(keys))
            var record = Record("Secrets", "r", ["x": 1])
            record.encryptedValues["note"] = "one"
            record = try await database.save(record)
            try await other.update(.named("r")) { $0.encryptedValues["note"] = "two" }
            record.encryptedValues["note"] = "three"
            let stale = record
            let error = try await expectError(.serverRecordChanged) { try await database.save(stale) }
            try expect("The server's", error.serverRecord?.encryptedValues["note"] as String?, equals: "two")
            try expect("The client's", error.clientRecord?.encryptedValues["note"] as String?, equals: "three")
            try expect("The ancestor's", error.ancestorRecord?.encryptedValues["note"] as String?, equals: "one")
            try await database.save(stale, resolvingConflictsWith: .fieldwise(whenBothChanged: .client))
            try expect("The merged", try await other.fetch("r").encryptedValues["note"] as String?, equals: "three")
            try await other.transaction { transaction in
                var record = try await transaction.record(for: .named("r"))
                let note: String = record.encryptedValues["note"] ?? ""
                record.encryptedValues["note"] = note + " four"
                try transaction.save(record)
            }
            let notes = try await database.allRecords(matching: Query(recordType: "Secrets"))
                .map { $0.encryptedValues["note"] as String? }
            try expect("The note", notes, equals: ["three four"])
        },
        ConformanceRule(
            .encryption, "two devices that encrypt first use both keys",
            law: "The keys of a zone are stored with it, none replaces another, and they go with the zone.",
            source: .cabinet("Encrypted values")
        ) { world in
            let keys = TestEncryption()
            let zoneID = RecordZone.ID(zoneName: "Secrets")
            try await world.privateDatabase().save(RecordZone(zoneID: zoneID))
            let devices = try (0..<4).map { _ in try world.encryptedDatabase(keys) }
            try await withThrowingTaskGroup { group in
                for (number, device) in devices.enumerated() {
                    group.addTask {
                        var record = Record(
                            recordType: "Secrets", recordID: RecordID(recordName: "r\(number)", zoneID: zoneID))
                        record.encryptedValues["number"] = number
                        try await device.save(record)
                    }
                }
                try await group.waitForAll()
            }
            for device in devices {
                let found = try await device.allRecords(matching: Query(recordType: "Secrets"), inZoneWith: zoneID)
                let numbers = found.compactMap { $0.encryptedValues["number"] as Int? }
                try expect("The numbers", numbers.sorted(), equals: [0, 1, 2, 3])
            }
            try await devices[0].deleteRecordZone(withID: zoneID)
            try await devices[1].save(RecordZone(zoneID: zoneID))
            // A device that has the old key uses one that is stored.
            var record = Record(recordType: "Secrets", recordID: RecordID(recordName: "new", zoneID: zoneID))
            record.encryptedValues["number"] = 5
            try await devices[2].save(record)
            let found = try await world.encryptedDatabase(keys).record(for: record.recordID)
            try expect("The number", found.encryptedValues["number"] as Int?, equals: 5)
        },
        ConformanceRule(
            .encryption, "a new key encrypts what is saved afterwards",
            law:
                "After a zone's key was rotated, old values can be read; set again, or saved with all keys, they have the new key.",
            source: .cabinet("Encrypted values")
        ) { world in
            let keys = TestEncryption()
            let database = try world.encryptedDatabase(keys)
            func keyID(_ name: String) async throws -> String? {
                let stored = try await world.privateDatabase().fetch(name)
                guard case .encrypted(let value)? = stored.fields["note"] else { return nil }
                return value.ciphertext.flatMap(keys.keyID)
            }
            func save(_ name: String) async throws {
                var record = Record("Secrets", name)
                record.encryptedValues["note"] = name
                try await database.save(record)
            }
            try await save("old")
            try await database.rotateKey(ofZoneWith: .default)
            try await save("new")
            let (old, new) = (try await keyID("old"), try await keyID("new"))
            try expect(old != nil && new != nil && old != new, "The keys are \(old ?? "none") and \(new ?? "none").")
            for name in ["old", "new"] {
                let found = try await world.encryptedDatabase(keys).fetch(name)
                try expect("The value", found.encryptedValues["note"] as String?, equals: name)
            }
            var record = try await database.fetch("old")
            record = try await database.save(record.with(["name": "n"]))
            try expect("The key after a save of another field", try await keyID("old"), equals: old)
            record.encryptedValues["note"] = "changed"
            record.encryptedValues["note"] = "old"
            record = try await database.save(record)
            try expect("The key of a value that was changed back", try await keyID("old"), equals: new)
            try expect("The value", record.encryptedValues["note"] as String?, equals: "old")
            for change in ["an equal value", "allKeys"] {
                try await database.rotateKey(ofZoneWith: .default)
                try await save("newest after \(change)")
                if change == "allKeys" {
                    record = try await database.save(try await database.fetch("old"), savePolicy: .allKeys)
                } else {
                    record.encryptedValues["note"] = "old"
                    record = try await database.save(record)
                }
                let newest = try await keyID("newest after \(change)")
                try expect("The key after a save of \(change)", try await keyID("old"), equals: newest)
                let found = try await world.encryptedDatabase(keys).fetch("old")
                try expect("The value", found.encryptedValues["note"] as String?, equals: "old")
                try expect("The other field", found["name"], equals: "n")
            }
        },
        ConformanceRule(
            .encryption, "a participant with the keys reads and saves encrypted values",
            law:
                "In a shared zone, a participant with the keys reads and saves encrypted values; one without them, or without the newest "
                + "for a save, has an error.",
            source: .cloudKit("CKRecord.h, encryptedValues")
        ) { world in
            let keys = TestEncryption()
            let scene = try await world.sharedScene {
                try world.container(account: $0).encrypting(with: keys.encryption)
            }
            var record = Record(recordType: "Items", recordID: SharingScene.own("secret"))
            record.encryptedValues["note"] = "one"
            try await scene.own.save(record)
            try await scene.own.shareKeys(ofZoneWith: SharingScene.zoneID, with: [try await scene.cleo.keyRecipient()])
            var found = try await scene.writer.record(for: SharingScene.shared("secret"))
            try expect("The participant's value", found.encryptedValues["note"] as String?, equals: "one")
            found.encryptedValues["note"] = "two"
            try await scene.writer.save(found)
            let own = try await scene.own.record(for: record.recordID)
            try expect("The owner's value", own.encryptedValues["note"] as String?, equals: "two")
            let hidden = try await scene.reader.record(for: SharingScene.shared("secret"))
            try expect("The other's value", hidden.encryptedValues["note"] as String?, equals: nil)
            try expect("The error", hidden.encryptedValues.error(forKey: "note")?.code, equals: .permissionFailure)
            var new = Record(recordType: "Items", recordID: SharingScene.shared("new"))
            new.encryptedValues["note"] = "three"
            try await scene.change {
                $0.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
            }
            try await expectError(.permissionFailure) { [new] in try await scene.reader.save(new) }
            try await scene.writer.save(new)
            try await expectError(.permissionFailure) {
                try await scene.writer.rotateKey(ofZoneWith: SharingScene.sharedID)
            }
            try await scene.own.rotateKey(ofZoneWith: SharingScene.zoneID)
            new = try await scene.writer.record(for: new.recordID)
            try expect("The old value", new.encryptedValues["note"] as String?, equals: "three")
            new.encryptedValues["note"] = "four"
            try await expectError(.permissionFailure) { [new] in try await scene.writer.save(new) }
            try await scene.own.shareKeys(ofZoneWith: SharingScene.zoneID, with: [try await scene.cleo.keyRecipient()])
            new = try await scene.writer.save(new)
            try expect("The new value", new.encryptedValues["note"] as String?, equals: "four")
        },
    ]
}

extension ConformanceWorld {
    /// The private database of another device with the keys.
    func encryptedDatabase(_ keys: TestEncryption) throws -> Database {
        try container().encrypting(with: keys.encryption).privateDatabase
    }
}
