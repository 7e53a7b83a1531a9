import Cabinet
@testable import CabinetCloudKit
import Testing

@Suite("Errors and notifications of Cabinet as those of CloudKit")
struct ErrorTests {
    @Test("the user info has the time to wait, the errors of items and the cause")
    func userInfo() throws {
        let item = RecordID(recordName: "a")
        let cause = CKError(.networkFailure)
        let error = CKError(
            CabinetError(
                .partialFailure, "some failed", underlyingError: cause, retryAfterSeconds: 2.5,
                partialErrorsByItemID: [item: CabinetError(.unknownItem, "gone")]))
        #expect(error.code == .partialFailure && error.retryAfterSeconds == 2.5)
        let items = error.partialErrorsByItemID?[CKRecord.ID(recordName: "a")] as? CKError
        #expect(items?.code == .unknownItem)
        let underlying = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? CabinetError)
        #expect(underlying.code == .partialFailure && (underlying.underlyingError as? CKError)?.code == cause.code)
        #expect((CKError.translating(CancellationError()) as? CKError)?.code == .operationCancelled)
    }

    @Test("the time to wait is read from every number")
    func retryAfter() {
        let numbers: [Any] = [3, 3.0, Int64(3), NSNumber(value: 3)]
        for number in numbers {
            #expect(CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: number]).retryAfterSeconds == 3)
        }
        #expect(CKError(.requestRateLimited).retryAfterSeconds == nil)
    }

    @Test("a subscription keeps its zone and options, and a predicate that is refused fails alone")
    func subscriptions() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
            try await database.save(CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zone.zoneID)))
            let good = CKQuerySubscription(
                recordType: "Items", predicate: NSPredicate(value: true), subscriptionID: "good",
                options: [.firesOnRecordDeletion])
            good.zoneID = zone.zoneID
            let bad = CKQuerySubscription(
                recordType: "Items", predicate: NSPredicate(block: { _, _ in true }), subscriptionID: "bad")
            let (results, _) = try await database.modifySubscriptions(saving: [good, bad], deleting: [])
            #expect(await code { try results["bad"]?.get() } == .invalidArguments)
            let kept = try #require(try await database.subscription(for: "good") as? CKQuerySubscription)
            #expect(kept.zoneID == zone.zoneID && kept.querySubscriptionOptions == .firesOnRecordDeletion)
        }
    }

    @Test("notifications of zones and of the database are of their classes", .timeLimit(.minutes(15)))
    func notifications() async throws {
        let backend = MemoryBackend()
        let devices = (0..<2).map { _ in CKContainer(identifier: "iCloud.zones", backend: backend) }
        let database = devices[0].privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
        try await database.save(CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone"))
        try await database.save(CKDatabaseSubscription(subscriptionID: "database"))
        let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zone.zoneID))
        try await devices[1].privateCloudDatabase.save(record)
        var left: Set = ["zone", "database"]
        for try await notification in CabinetCloudKit.notifications(of: devices[0]) {
            let read = CKNotification(fromRemoteNotificationDictionary: notification.remoteNotificationDictionary)
            #expect(read?.notificationType == notification.notificationType)
            #expect(read.map { type(of: $0) } == type(of: notification))
            if notification.subscriptionID == "zone" {
                #expect((notification as? CKRecordZoneNotification)?.recordZoneID == zone.zoneID)
                #expect(notification.notificationType == .recordZone)
            } else {
                #expect((notification as? CKDatabaseNotification)?.databaseScope == .private)
            }
            left.remove(notification.subscriptionID ?? "")
            if left.isEmpty { break }
        }
    }
}
