import CabinetCloudKit
import CoreLocation
import Foundation
import Testing

/// Requests that CloudKit refuses, beside the predicates of queries.
@Suite("Refusals of subscriptions and of comparisons with another type")
struct RefusalTests {
    private let zone = CKRecordZone(zoneName: "Trips")

    private func fill(_ database: CKDatabase) async throws {
        let trip = CKRecord(recordType: "Trips")
        let item = CKRecord(recordType: "Items")
        item["name"] = "Milk"
        item["count"] = 2
        item["price"] = 1.5
        item["when"] = Date()
        item["tags"] = ["a"]
        item["tripID"] = CKRecord.Reference(record: trip, action: .none)
        item["place"] = CLLocation(latitude: 1, longitude: 2)
        _ = try await database.modifyRecords(saving: [trip, item], deleting: [])
    }

    private func query(_ predicate: NSPredicate) -> CKQuery { CKQuery(recordType: "Items", predicate: predicate) }

    @Test("a field is compared with values of its type alone", arguments: CloudStore.allCases)
    func types(_ store: CloudStore) async throws {
        let mismatches = [
            NSPredicate(format: "tripID == %@", "a"), NSPredicate(format: "name == %@", 1),
            NSPredicate(format: "count == %@", "2"), NSPredicate(format: "count IN %@", ["2"]),
            NSPredicate(format: "when > %@", 1), NSPredicate(format: "price < %@", Date() as NSDate),
            NSPredicate(format: "tags CONTAINS %@", 1), NSPredicate(format: "recordID == %@", "a"),
            NSPredicate(format: "name == 'Milk' AND NOT (count == 'two')"),
        ]
        let matches = [
            NSPredicate(format: "count == %@", 2.0), NSPredicate(format: "price > %@", 1),
            NSPredicate(format: "when <= %@", Date() as NSDate), NSPredicate(format: "tags CONTAINS %@", "a"),
            NSPredicate(format: "name IN %@", [] as [String]), NSPredicate(format: "count IN %@", [] as [Int]),
            NSPredicate(format: "tripID == %@", CKRecord.ID(recordName: "a")),
            NSPredicate(
                format: "distanceToLocation:fromLocation:(place, %@) < %f", CLLocation(latitude: 1, longitude: 2), 10.0),
        ]
        try await store.run { container in
            let database = container.privateCloudDatabase
            try await fill(database)
            for predicate in mismatches {
                #expect(
                    await code { try await database.records(matching: query(predicate)) } == .invalidArguments,
                    "\(query(predicate))")
            }
            for predicate in matches {
                #expect(
                    await code { try await database.records(matching: query(predicate)) } == nil, "\(query(predicate))")
            }
            do {
                _ = try await database.records(matching: query(mismatches[0]))
            } catch {
                #expect(
                    error.localizedDescription
                        == "Field 'tripID' has a value type of REFERENCE and cannot be queried using filter value type STRING."
                )
            }
        }
        try await CloudStore.memory.run(options: .init(refusesWhatCloudKitRefuses: false)) { container in
            try await fill(container.privateCloudDatabase)
            let (found, _) = try await container.privateCloudDatabase.records(matching: query(mismatches[0]))
            #expect(found.isEmpty)
        }
    }

    @Test("a list of any type is one argument of a format")
    func lists() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            try await fill(database)
            let numbers: [Any] = [1, 2]
            let (found, _) = try await database.records(matching: query(NSPredicate(format: "count IN %@", numbers)))
            #expect(found.count == 1)
        }
    }

    private func subscription(_ format: String, type: String = "Items") -> CKQuerySubscription {
        CKQuerySubscription(
            recordType: type, predicate: NSPredicate(format: format), subscriptionID: UUID().uuidString,
            options: [.firesOnRecordCreation])
    }

    @Test("subscriptions that CloudKit refuses are refused, each alone", arguments: CloudStore.allCases)
    func subscriptions(_ store: CloudStore) async throws {
        func saves(_ container: CKContainer) async throws -> [CKError.Code?] {
            let database = container.privateCloudDatabase
            try await fill(database)
            let all: [CKSubscription] = [
                subscription("count > 1"), subscription("count > 1 OR name == 'Milk'"), subscription("colour == 'red'"),
                subscription("count > 1", type: "Unknown"), subscription("count == 'two'"),
                CKRecordZoneSubscription(zoneID: .default), CKDatabaseSubscription(),
            ]
            let (results, _) = try await database.modifySubscriptions(saving: all, deleting: [])
            var codes: [CKError.Code?] = []
            for subscription in all { codes.append(await code { try results[subscription.subscriptionID]?.get() }) }
            codes.append(await code { try await container.publicCloudDatabase.save(CKDatabaseSubscription()) })
            return codes
        }
        try await store.run { container in
            let codes = try await saves(container)
            #expect(
                codes == [
                    nil, .invalidArguments, .invalidArguments, .unknownItem, .invalidArguments, .serverRejectedRequest,
                    nil, .badDatabase,
                ])
        }
        try await store.run(options: .init(refusesWhatCloudKitRefuses: false)) { container in
            let codes = try await saves(container)
            #expect(codes.allSatisfy { $0 == nil })
        }
    }

    @Test("without an account, the whole request of subscriptions fails")
    func account() async throws {
        try await CloudStore.memory.run(options: .init(account: nil)) { container in
            let subscription = subscription("count > 1")
            #expect(
                await code {
                    try await container.privateCloudDatabase.modifySubscriptions(saving: [subscription], deleting: [])
                }
                    == .notAuthenticated)
        }
    }

    @Test("a copy of a subscription changes independently, and archives have the settings of notifications")
    func copies() throws {
        let query = subscription("count > 1")
        query.zoneID = zone.zoneID
        let recordZone = CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone")
        recordZone.recordType = "Items"
        let all = [query, recordZone, CKDatabaseSubscription(subscriptionID: "database")] as [CKSubscription]
        for subscription in all {
            let info = CKSubscription.NotificationInfo(
                titleLocalizationArgs: ["name"], desiredKeys: ["name"], shouldSendContentAvailable: true, category: "a")
            subscription.notificationInfo = info
            let copy = try #require(subscription.copy() as? CKSubscription)
            #expect(copy !== subscription && copy == subscription && type(of: copy) == type(of: subscription))
            copy.notificationInfo?.category = "b"
            #expect(subscription.notificationInfo?.category == "a")
            let data = try NSKeyedArchiver.archivedData(withRootObject: subscription, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: type(of: subscription), from: data)
            let kept = try #require(read?.notificationInfo)
            #expect(kept.category == "a" && kept.shouldSendContentAvailable && kept.desiredKeys == ["name"])
            #expect(kept.titleLocalizationArgs == ["name"] && kept.title == nil)
        }
        #expect((recordZone.copy() as? CKRecordZoneSubscription)?.recordType == "Items")
        #expect((query.copy() as? CKQuerySubscription)?.zoneID == zone.zoneID)
    }
}
