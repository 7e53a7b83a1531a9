import Cabinet
import CabinetTesting
import CloudKit
import Foundation
import Testing

@Suite("Encrypted values in iCloud")
struct EncryptedValueTests {
    @Test("are CloudKit's, without a key store")
    func values() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        let id = zone.record("a").recordID
        let values: [String: any RecordValue] = [
            "text": "secret", "count": 7, "half": 0.5, "date": Date(timeIntervalSince1970: 1), "data": Data([1, 2]),
            "place": Location(latitude: 41.5, longitude: 12), "texts": ["one", "two"],
        ]
        var record = zone.record("a", number: 1)
        for (key, value) in values { record.encryptedValues[key] = value }
        record = try await database.save(record)
        #expect(record.encryptedValues["text"] == "secret")
        for database in [database, try await world.container().privateDatabase] {
            let found = try await database.record(for: id)
            #expect(Set(found.encryptedValues.allKeys()) == Set(values.keys))
            for (key, value) in values {
                #expect(found.encryptedValues[key].map { "\($0)" } == "\(value)", "\(key)")
                #expect(found[key] == nil, "\(key)")
            }
            #expect(found["number"] == 1)
        }
        let object = try await world.cloud.privateCloudDatabase.record(
            for: CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Lists")))
        #expect(object.encryptedValues["text"] == "secret")
        #expect(object["text"] == nil)
        // The store of this CloudKit has ciphertexts alone.
        let store = try Container(
            identifier: "iCloud.com.example.test", backend: world.backend, account: Account(userRecordName: "_anna"))
        let stored = try await store.privateDatabase.record(for: id)
        #expect(stored.encryptedValues["text"] == nil && stored.encryptedValues.allKeys().count == values.count)
    }

    @Test("are changed and removed alone, and conflicts have them")
    func changes() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        var record = zone.record("a", number: 1)
        (record.encryptedValues["text"], record.encryptedValues["count"]) = ("one", 1)
        let saved = try await database.save(record)
        record = saved
        (record.encryptedValues["text"], record.encryptedValues["count"]) = ("two", nil as Int?)
        let changed = try await database.save(record)
        #expect(changed.encryptedValues["text"] == "two" && changed.encryptedValues["count"] == nil)
        let found = try await database.record(for: record.recordID)
        #expect(found.encryptedValues.allKeys() == ["text"] && found["number"] == 1)
        var late = saved
        late.encryptedValues["text"] = "three"
        let conflict = await error { try await database.save(late) }
        #expect(conflict?.code == .serverRecordChanged)
        #expect(conflict?.serverRecord?.encryptedValues["text"] == "two")
    }

    @Test("are refused if they are encrypted already")
    func ciphertexts() async throws {
        let world = ICloudWorld()
        let (container, _, zone) = try await world.zone()
        let keys = TestEncryption()
        let database = container.encrypting(with: keys.encryption).privateDatabase
        var record = zone.record("a")
        record.encryptedValues["text"] = "secret"
        let refusal = await error { try await database.save(record) }
        #expect(refusal?.message.contains("key") == true, "\(String(describing: refusal))")
        #expect(await error { try await database.record(for: record.recordID) }?.code == .unknownItem)
    }
}
