import Cabinet
import Foundation
import Testing

@testable import CabinetCloudKit

/// The user's own name, which CloudKit shows as `CKCurrentUserDefaultName`.
@Suite("The container's user in records, predicates and archives")
struct CurrentUserTests {
    private let user = CKRecord.ID(recordName: CKCurrentUserDefaultName)

    private func container(_ name: String, _ backend: MemoryBackend) -> CKContainer {
        CKContainer(
            identifier: "iCloud.com.example.users", backend: backend,
            options: .init(account: Account(userRecordName: name)))
    }

    @Test("own records are the current user's, after a save, a fetch, a copy and an archive")
    func ownRecords() async throws {
        let backend = MemoryBackend()
        let (anna, ben) = (container("_anna", backend), container("_ben", backend))
        let record = try await anna.publicCloudDatabase.save(CKRecord(recordType: "Items"))
        #expect(record.creatorUserRecordID == user && record.lastModifiedUserRecordID == user)
        #expect(try await anna.userRecordID().recordName == "_anna")
        let fetched = try await anna.publicCloudDatabase.record(for: record.recordID)
        #expect(fetched.creatorUserRecordID == user && fetched == record)
        #expect((fetched.copy() as? CKRecord)?.creatorUserRecordID == user)
        #expect(fetched.value(forKey: "creatorUserRecordID") as? CKRecord.ID == user)
        let data = try NSKeyedArchiver.archivedData(withRootObject: fetched, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
        #expect(read.creatorUserRecordID == user && read == fetched)
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        fetched.encodeSystemFields(with: coder)
        coder.finishEncoding()
        let fields = CKRecord(coder: try NSKeyedUnarchiver(forReadingFrom: coder.encodedData))
        #expect(fields?.creatorUserRecordID == user)
        // Another user sees the name.
        let other = try await ben.publicCloudDatabase.record(for: record.recordID)
        #expect(other.creatorUserRecordID?.recordName == "_anna")
        // The archive of the first user is saved as that user.
        read["name"] = "Milk"
        try await anna.publicCloudDatabase.save(read)
        #expect(read.creatorUserRecordID == user)
    }

    @Test("the shown name finds the records and the user, and is stored as the user's own")
    func predicates() async throws {
        let backend = MemoryBackend()
        let (anna, ben) = (container("_anna", backend), container("_ben", backend))
        let own = try await anna.publicCloudDatabase.save(CKRecord(recordType: "Items"))
        try await ben.publicCloudDatabase.save(CKRecord(recordType: "Items"))
        let reference = CKRecord.Reference(recordID: user, action: .none)
        for argument in [reference, user] as [NSObject] {
            let predicate = NSPredicate(format: "creatorUserRecordID == %@", argument)
            let query = CKQuery(recordType: "Items", predicate: predicate)
            let (found, _) = try await anna.publicCloudDatabase.records(matching: query)
            #expect(found.map(\.0) == [own.recordID])
        }
        #if !canImport(ObjectiveC)
        #expect(NSPredicate(format: "creatorUserRecordID == %@", user).evaluate(with: own))
        #endif
        let record = try await anna.publicCloudDatabase.record(for: user)
        #expect(record.recordType == "Users" && record.recordID.recordName == "_anna")
        own["owner"] = reference
        own["readers"] = [reference]
        try await anna.publicCloudDatabase.save(own)
        let fetched = try await ben.publicCloudDatabase.record(for: own.recordID)
        #expect((fetched["owner"] as? CKRecord.Reference)?.recordID.recordName == "_anna")
        #expect((fetched["readers"] as? [CKRecord.Reference])?.map(\.recordID.recordName) == ["_anna"])
        #expect(own.changedKeys().isEmpty)
        let subscription = CKQuerySubscription(
            recordType: "Items", predicate: NSPredicate(format: "creatorUserRecordID == %@", user),
            subscriptionID: "own", options: [.firesOnRecordCreation])
        try await anna.publicCloudDatabase.save(subscription)
        let stored = try await CabinetCloudKit.container(of: anna).publicDatabase.subscription(for: "own")
        guard case .query(let query) = stored else {
            Issue.record("The subscription is another one.")
            return
        }
        #expect(query.filter.description.contains("_anna"))
    }

    @Test("changes of a zone have the shown name")
    func changes() async throws {
        let backend = MemoryBackend()
        let anna = container("_anna", backend)
        let zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Notes"))
        let record = CKRecord(recordType: "Notes", recordID: CKRecord.ID(zoneID: zone.zoneID))
        try await anna.privateCloudDatabase.save(record)
        let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone.zoneID])
        let log = Log()
        operation.recordWasChangedBlock = { _, result in
            log.add((try? result.get())?.creatorUserRecordID?.recordName ?? "none")
        }
        await anna.privateCloudDatabase.run(operation)
        #expect(log.all == [CKCurrentUserDefaultName])
    }
}
