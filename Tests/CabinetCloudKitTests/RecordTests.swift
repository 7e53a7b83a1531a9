import Cabinet
import CabinetTesting
import CoreLocation
import Foundation
import Testing

@testable import CabinetCloudKit

@Suite("CKRecord")
struct RecordTests {
    @Test("a record is an object: all references to it see its changes")
    func references() {
        let record = CKRecord(recordType: "Items")
        let other = record
        other["name"] = "Milk"
        #expect(record["name"] as? String == "Milk")
        #expect(record.changedKeys() == ["name"])
    }

    @Test("numbers are read as every type that holds them")
    func numbers() {
        let record = CKRecord(recordType: "Items")
        record["count"] = 1
        record["price"] = 2.5
        record["done"] = true
        #expect(record["count"] as? Bool == true)
        #expect(record["count"] as? Int64 == 1)
        #expect(record["count"] as? Double == 1)
        #expect((record["price"] as? NSNumber)?.doubleValue == 2.5)
        #expect(record["done"] as? Bool == true)
        #expect(record["done"] as? Int == 1)
        let whole: Int? = record["count"]
        let double: Double? = record["count"]
        let float: Float? = record["price"]
        let flag: Bool? = record["done"]
        #expect(whole == 1 && double == 1 && float == 2.5 && flag == true)
        let text: String? = record["count"]
        #expect(text == nil)
    }

    @Test("objects of Foundation and Swift are set and read alike")
    func objects() {
        let record = CKRecord(recordType: "Items")
        record["text"] = NSString(string: "a")
        record["number"] = NSNumber(value: 3)
        record["date"] = NSDate(timeIntervalSince1970: 5)
        record["data"] = NSData(data: Data([1]))
        record["list"] = ["a", "b"] as NSArray
        record["numbers"] = [1, 2]
        record["name"] = "x" as any CKRecordValue
        #expect(record["text"] as? String == "a")
        #expect(record["number"] as? Int == 3)
        #expect(record["date"] as? Date == Date(timeIntervalSince1970: 5))
        #expect(record["data"] as? Data == Data([1]))
        #expect(record["list"] as? [String] == ["a", "b"])
        #expect(record["numbers"] as? [Int] == [1, 2])
        #expect(record["name"] as? String == "x")
        record["name"] = nil
        #expect(record.allKeys().contains("name") == false)
    }

    @Test("references, assets and locations keep their content")
    func values() {
        let record = CKRecord(recordType: "Items")
        let list = CKRecord(recordType: "Lists", recordID: CKRecord.ID(recordName: "groceries"))
        let file = URL(fileURLWithPath: "/tmp/picture.jpg")
        record["list"] = CKRecord.Reference(record: list, action: .deleteSelf)
        record["lists"] = [CKRecord.Reference(recordID: list.recordID, action: .none)]
        record["image"] = CKAsset(fileURL: file)
        record["place"] = CLLocation(latitude: 52.5, longitude: 13.4)
        #expect((record["list"] as? CKRecord.Reference)?.recordID == list.recordID)
        #expect((record["list"] as? CKRecord.Reference)?.action == .deleteSelf)
        #expect((record["lists"] as? [CKRecord.Reference])?.count == 1)
        #expect((record["image"] as? CKAsset)?.fileURL == file)
        #expect((record["place"] as? CLLocation)?.coordinate.latitude == 52.5)
        let reference: CKRecord.Reference? = record["list"]
        #expect(reference?.recordID.recordName == "groceries")
    }

    @Test("key-value coding reads and sets fields")
    func keyValueCoding() {
        let record = CKRecord(recordType: "Items")
        record.setValuesForKeys(["name": "Milk", "count": 2, "gone": NSNull()])
        record.setValue("new", forKey: "state")
        #expect(record.value(forKey: "name") as? String == "Milk")
        #expect(record.object(forKey: "count") as? Int == 2)
        #expect(record.value(forKey: "recordID") as? CKRecord.ID == record.recordID)
        #expect(Set(record.allKeys()) == ["name", "count", "state"])
        #expect(Dictionary(uniqueKeysWithValues: record.map { ($0, "\($1)") })["count"] == "2")
    }

    @Test("encrypted values are decrypted by devices with the keys, and are apart from other fields")
    func encryptedValues() async throws {
        let (backend, keys) = (MemoryBackend(), TestEncryption())
        func database() -> CKDatabase {
            CKContainer(
                identifier: "iCloud.com.example.diary", backend: backend, options: .init(encryption: keys.encryption)
            ).privateCloudDatabase
        }
        let record = CKRecord(recordType: "Entries")
        record["day"] = Date.distantPast
        record.encryptedValues["text"] = "secret"
        record.encryptedValues["numbers"] = [1, 2]
        #expect(record["text"] == nil && record.allKeys() == ["day", "text", "numbers"])
        #expect(record.encryptedValues.allKeys() == ["text", "numbers"])
        try await database().save(record)
        #expect(record.encryptedValues["text"] == "secret" && record.changedKeys().isEmpty)
        record.encryptedValues["text"] = "new"
        #expect(record.encryptedValues.changedKeys() == ["text"])
        let found = try await database().record(for: record.recordID)
        #expect(found.encryptedValues["text"] == "secret" && found.encryptedValues["numbers"] == [1, 2])
        #expect(found["text"] == nil && Set(found.allKeys()) == ["day", "text", "numbers"])
        #expect(found.map { $0.0 } == ["day"])
        let other = CKContainer(
            identifier: "iCloud.com.example.diary", backend: backend,
            options: .init(encryption: TestEncryption().encryption)
        ).privateCloudDatabase
        let unread = try await other.record(for: record.recordID)
        #expect(unread.encryptedValues["text"] as String? == nil && unread["day"] != nil)
        record.encryptedValues["photo"] = CKRecord.Reference(record: record, action: .none)
        await #expect(throws: CKError.self) { try await database().save(record) }
    }

    @Test("fields are copied by allKeys(), and the record's own subscript leaves encrypted ones alone")
    func copiesByKey() {
        let (source, target) = (CKRecord(recordType: "Entries"), CKRecord(recordType: "Entries"))
        source["day"] = 1
        source.encryptedValues["text"] = "new"
        target.encryptedValues["text"] = "old"
        for key in source.allKeys() { target[key] = source[key] }
        #expect(target["day"] as? Int == 1 && target.encryptedValues["text"] == "old")
        let encrypted = source.encryptedValues.allKeys()
        for key in source.allKeys() where encrypted.contains(key) {
            target.encryptedValues[key] = source.encryptedValues[key]
        }
        #expect(target.encryptedValues["text"] == "new")
        for key in target.allKeys() where encrypted.contains(key) { target.encryptedValues[key] = nil }
        #expect(target.allKeys() == ["day"])
    }

    @Test("identities are equal by content, and are keys of dictionaries")
    func identities() {
        let zone = CKRecordZone(zoneName: "Travel")
        let left = CKRecord.ID(recordName: "a", zoneID: zone.zoneID)
        let right = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Travel"))
        #expect(left == right && left.hash == right.hash && [left: 1][right] == 1)
        #expect(left != CKRecord.ID(recordName: "a"))
        #expect(CKRecord.ID().zoneID == CKRecordZone.default().zoneID)
        #expect(zone.zoneID.ownerName == CKCurrentUserDefaultName)
        #expect(CKRecord.ID().recordName != CKRecord.ID().recordName)
    }

    @Test("a record is a value of its own fields, as a reference, alone and in a list")
    func selfReference() {
        let record = CKRecord(recordType: "Items")
        record.setValue(record, forKey: "me")
        record.setValue([record], forKey: "all")
        record.setValuesForKeys(["also": record])
        for key in ["me", "also"] { #expect((record[key] as? CKRecord.Reference)?.recordID == record.recordID) }
        #expect((record["all"] as? [CKRecord.Reference])?.map(\.recordID) == [record.recordID])
    }

    @Test("the error of a value that no field can hold names the type of the program's value")
    func unsupportedTypes() async throws {
        try await CloudStore.memory.run { container in
            func message(_ change: (CKRecord) -> Void) async -> String {
                let record = CKRecord(recordType: "Items")
                change(record)
                do {
                    try await container.privateCloudDatabase.save(record)
                    return ""
                } catch {
                    return error.localizedDescription
                }
            }
            #expect(await message { $0.setValue(URL(fileURLWithPath: "/"), forKey: "a") }.contains("<URL>"))
            #expect(await message { $0.setValue(["a": 1], forKey: "a") }.contains("<Dictionary<String, Int>>"))
            let target = CKRecord.Reference(recordID: CKRecord.ID(), action: .none)
            #expect(await message { $0.encryptedValues["a"] = target }.contains("<CKReference>"))
        }
    }

    @Test("a copy changes independently, and equal content is equal")
    func copies() throws {
        let record = CKRecord(recordType: "Items")
        record["name"] = "Milk"
        let copy = try #require(record.copy() as? CKRecord)
        #expect(copy == record && copy !== record && copy.hash == record.hash)
        copy["name"] = "Bread"
        #expect(record["name"] as? String == "Milk" && copy != record)
    }

    @Test("system fields are archived without fields, and whole records with them")
    func archives() async throws {
        let record = try await CloudStore.memory.run { container in
            let record = CKRecord(recordType: "Items")
            record["name"] = "Milk"
            return try await container.privateCloudDatabase.save(record)
        }
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: coder)
        coder.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
        unarchiver.requiresSecureCoding = true
        let fields = try #require(CKRecord(coder: unarchiver))
        #expect(fields.recordID == record.recordID && fields.recordChangeTag == record.recordChangeTag)
        #expect(fields.allKeys().isEmpty && fields.changedKeys().isEmpty)
        #expect(fields.creationDate == record.creationDate)

        record["name"] = "Bread"
        let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        let whole = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
        #expect(whole == record && whole.changedKeys() == ["name"])
    }

    @Test("a record is archived without the encrypted values that were not saved")
    func encryptedArchives() async throws {
        func archived(_ record: CKRecord) throws -> CKRecord? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
        }
        let keys = TestEncryption()
        try await CloudStore.memory.run(options: .init(encryption: keys.encryption)) { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Entries")
            record["name"] = "Milk"
            record.encryptedValues["text"] = "secret"
            let new = try #require(try archived(record))
            #expect(new["name"] == "Milk" && new.recordID == record.recordID)
            #expect(new.encryptedValues.allKeys().isEmpty)
            try await database.save(record)
            record["name"] = "Bread"
            record.encryptedValues["text"] = "changed"
            record.encryptedValues["more"] = "new"
            let changed = try #require(try archived(record))
            #expect(changed.changedKeys() == ["name"] && changed.encryptedValues.changedKeys().isEmpty)
            // A save of the archived record keeps the encrypted value that the server has.
            try await database.save(changed)
            let found = try await database.record(for: record.recordID)
            #expect(found["name"] == "Bread" && found.encryptedValues["text"] == "secret")
            #expect(found.encryptedValues.allKeys() == ["text"])
        }
    }

    @Test("identities, zones, references and locations are archived")
    func smallArchives() throws {
        func roundTrip<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
        }
        let id = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "z"))
        #expect(try roundTrip(id) == id)
        #expect(try roundTrip(id.zoneID) == id.zoneID)
        #expect(try roundTrip(CKRecordZone(zoneName: "z")) == CKRecordZone(zoneName: "z"))
        let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
        #expect(try roundTrip(reference) == reference)
        #expect(try roundTrip(CLLocation(latitude: 1, longitude: 2))?.coordinate.longitude == 2)
    }

    @Test("addresses, participants and descriptions of shares are archived, alone and in arrays")
    func sharingArchives() throws {
        func roundTrip<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
        }
        #expect(try roundTrip(CKUserIdentity.LookupInfo(emailAddress: "a@b.c"))?.emailAddress == "a@b.c")
        #expect(try roundTrip(CKUserIdentity.LookupInfo(phoneNumber: "1"))?.phoneNumber == "1")
        let id = CKRecord.ID(recordName: "_u")
        #expect(try roundTrip(CKUserIdentity.LookupInfo(userRecordID: id))?.userRecordID == id)
        let participant = CKShareParticipant(
            Share.Participant(userRecordName: id.recordName), lookupInfo: CKUserIdentity.LookupInfo(userRecordID: id))
        participant.permission = .readWrite
        let read = try #require(try roundTrip(participant))
        #expect(read == participant && read.role == .privateUser && read.permission == .readWrite)
        #expect(read.userIdentity == participant.userIdentity && read.userIdentity.lookupInfo?.userRecordID == id)
        #expect(try roundTrip(read.userIdentity) == read.userIdentity)
        let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "z"))
        share["color"] = 3
        share.addParticipant(participant)
        #expect(try roundTrip(share) == share && roundTrip(share.owner)?.role == .owner)
        let metadata = CKShareMetadata(
            Share.Metadata(
                containerIdentifier: "c", share: try #require(share.content), participant: participant.value))
        let readMetadata = try #require(try roundTrip(metadata))
        #expect(readMetadata == metadata && readMetadata.containerIdentifier == "c")
        #expect(readMetadata.share == share && readMetadata.share.participants.count == 2)
        let ids = [id, CKRecord.ID(recordName: "v")]
        let data = try NSKeyedArchiver.archivedData(withRootObject: ids as NSArray, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: CKRecord.ID.self, from: data) == ids)
    }

    @Test("notifications are a sequence, and the names of Dispatch's units exist")
    func foundation() async {
        let name = Notification.Name("cabinet-\(UUID().uuidString)")
        var notifications = NotificationCenter.default.notifications(named: name).makeAsyncIterator()
        NotificationCenter.default.post(name: name, object: nil, userInfo: ["n": 1])
        NotificationCenter.default.post(name: Notification.Name("another"), object: nil)
        #expect(await notifications.next(isolation: nil)?.userInfo?["n"] as? Int == 1)
        #expect(NSEC_PER_SEC == 1000 * NSEC_PER_MSEC && USEC_PER_SEC * NSEC_PER_USEC == NSEC_PER_SEC)
    }

    @Test("lists of mixed numbers, of nothing, and locations with all their parts are read unchanged")
    func lists() async throws {
        let place = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2), altitude: 300, horizontalAccuracy: 5,
            verticalAccuracy: 6, course: 90, speed: 7, timestamp: Date(timeIntervalSince1970: 5))
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            record["prices"] = [1.5, 2.5]
            record["mixed"] = [1, 2.5] as NSArray
            record["lists"] = [CKRecord.Reference]()
            record["place"] = place
            try await database.save(record)
            let saved = try await database.record(for: record.recordID)
            #expect(saved["prices"] as? [Float] == [1.5, 2.5])
            #expect(saved["mixed"] as? [Double] == [1, 2.5])
            let read = try #require(saved["place"] as? CLLocation)
            #expect(read.altitude == 300 && read.speed == 7 && read.course == 90 && read.verticalAccuracy == 6)
            // An empty list of references has their type.
            record["lists"] = [CKRecord.Reference(recordID: record.recordID, action: .none)]
            #expect(await code { try await database.save(record) } == nil)
        }
    }

    @Test(
        "a location keeps its parts as a CLLocation, and which of them are unknown",
        arguments: [
            Location(latitude: 1, longitude: 2), Location(latitude: 1, longitude: 2, altitude: 34),
            Location(
                latitude: 1, longitude: 2, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, course: 6,
                speed: 7, timestamp: Date(timeIntervalSince1970: 8)),
        ])
    func unknownParts(place: Location) {
        #expect(Location(CLLocation(place)) == place)
    }

    @Test("a value that no field can hold is refused by the save, and system fields have keys")
    func unsupported() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let parent = try await database.save(CKRecord(recordType: "Items"))
            let record = CKRecord(recordType: "Items")
            record.setParent(parent)
            try await database.save(record)
            #expect((record.value(forKey: "parent") as? CKRecord.Reference)?.recordID == parent.recordID)
            #expect(record.value(forKey: "modificationDate") as? Date == record.modificationDate)
            #expect(record.modificationDate != nil)
            record.setValue(URL(fileURLWithPath: "/"), forKey: "link")
            #expect(await code { try await database.save(record) } == .invalidArguments)
        }
    }

    @Test("assets, queries, groups of operations and subscriptions are archived")
    func moreArchives() throws {
        func roundTrip<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
        }
        let file = URL(fileURLWithPath: "/tmp/picture.jpg")
        #expect(try roundTrip(CKAsset(fileURL: file))?.fileURL == file)
        let query = CKQuery(recordType: "Items", predicate: NSPredicate(format: "count > 1"))
        query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        let read = try #require(try roundTrip(query))
        #expect(read.description == query.description && read.recordType == "Items")
        #expect(read.sortDescriptors?.map(\.ascending) == [false])
        let group = CKOperationGroup()
        #expect(try roundTrip(group)?.operationGroupID == group.operationGroupID)
        let subscription = CKQuerySubscription(
            recordType: "Items", predicate: NSPredicate(format: "count > 1"), options: [.firesOnRecordUpdate])
        subscription.zoneID = CKRecordZone.ID(zoneName: "z")
        subscription.notificationInfo = .init(desiredKeys: ["name"])
        let kept = try #require(try roundTrip(subscription))
        #expect(kept == subscription && kept.zoneID == subscription.zoneID)
        #expect(kept.notificationInfo?.desiredKeys == ["name"] && kept.querySubscriptionOptions == .firesOnRecordUpdate)
    }
}
