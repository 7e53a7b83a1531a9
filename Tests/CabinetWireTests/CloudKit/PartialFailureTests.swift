import Cabinet
import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import CabinetWire

@Suite("Errors of CloudKit Web Services")
struct PartialFailureTests {
    /// A service that fails at its second request of a kind.
    private struct FailingService: WrappingService {
        let base: any DatabaseService
        let counter: Counter

        final class Counter: Sendable {
            let count = Mutex(0)
        }

        func perform<Request: ServiceRequest>(
            _ request: Request, for caller: Caller
        ) async throws -> Request.Response {
            if Request.effect == .once || Request.name.hasPrefix("modify") {
                let count = counter.count.withLock { count in
                    count += 1
                    return count
                }
                if count == 2 { throw CabinetError(.zoneBusy, "Busy.", retryAfterSeconds: 1.5) }
            }
            return try await base.perform(request, for: caller)
        }
    }

    @Test(
        "of a later operation fail it alone, because the earlier ones are saved",
        arguments: [
            (
                CloudKitOperation.zonesModify,
                #"{"operationType":"create","zone":{"zoneID":{"zoneName":"A"}}},{"operationType":"create","zone":{"zoneID":{"zoneName":"B"}}}"#
            ),
            (
                .subscriptionsModify,
                #"{"operationType":"update","subscription":{"subscriptionID":"a","subscriptionType":"database"}},{"operationType":"update","subscription":{"subscriptionID":"b","subscriptionType":"database"}}"#
            ),
        ])
    func later(operation: CloudKitOperation, operations: String) async throws {
        let store = try CloudKitStore()
        let service = FailingService(base: store.container.service, counter: .init())
        let endpoint = CloudKitEndpoint(
            service: service, host: store.host, caller: Caller(account: Account(userRecordName: "_ann"), deviceID: "d"),
            scope: .private, requestID: "R1")
        let response = await endpoint.response(to: operation, body: Array(#"{"operations":[\#(operations)]}"#.utf8))
        #expect(response.status == 200)
        let root = try JSONText(response.body).root
        let items = root.items("zones") + root.items("subscriptions")
        #expect(items.map { $0.text("serverErrorCode") } == [nil, "TRY_AGAIN_LATER"])
        #expect(try items.last?["retryAfter"]?.int64() == 2)
    }

    /// Returns the user's database in a store, over a server that is too busy for some requests.
    ///
    /// - Parameter isBusy: Whether the server refuses an operation; it has the number of those of its kind before.
    private func database(
        of store: CloudKitStore, isBusy: @escaping @Sendable (CloudKitOperation, Int) -> Bool
    ) throws -> Database {
        let counts = Mutex<[CloudKitOperation: Int]>([:])
        let answer: CloudKitLoopback.Change = { operation, response in
            let count = counts.withLock { counts in
                counts[operation, default: 0] += 1
                return counts[operation, default: 0]
            }
            if isBusy(operation, count - 1) {
                return CloudKitResponse(
                    CabinetError(.requestRateLimited, "Slow.", retryAfterSeconds: 2), requestID: "R1")
            }
            // Apple's server has no records of conflicts.
            let response = await response()
            let text = String(decoding: response.body, as: UTF8.self).replacing("serverRecord", with: "other")
            return CloudKitResponse(status: response.status, body: Array(text.utf8))
        }
        return store.container.over(CloudKitLoopback(base: store.container.service, change: answer)).privateDatabase
    }

    @Test("of a later request of a batch fail the records of this and the following ones alone", arguments: [1, 2])
    func parts(zones: Int) async throws {
        let store = try CloudKitStore()
        let own = store.container.privateDatabase
        var old: [RecordID] = []
        for name in ["A", "B"].prefix(zones) {
            let zone = try await own.save(RecordZone(zoneName: name))
            let id = RecordID(recordName: "old", zoneID: zone.zoneID)
            old.append(try await own.save(Record(recordType: "Items", recordID: id)).recordID)
        }
        let records = old.flatMap { old in
            (0..<500 / zones).map { number in
                Record(recordType: "Items", recordID: RecordID(recordName: "\(number)", zoneID: old.zoneID))
            }
        }
        // The deletion of a zone is in its last request.
        let database = try database(of: store) { operation, number in operation == .recordsModify && number == 2 }
        let (saves, deletions) = try await database.modifyRecords(
            saving: records, deleting: old, atomically: false)
        let saved = records.prefix { saves[$0.recordID]?.record != nil }
        #expect(saved.count == (zones == 1 ? 400 : 250))
        for record in saved { #expect(saves[record.recordID]?.record?.recordChangeTag != nil) }
        for record in records.dropFirst(saved.count) {
            #expect(throws: CabinetError(.requestRateLimited)) { try saves[record.recordID]?.get() }
        }
        #expect(old.map { (try? deletions[$0]?.get()) != nil } == [zones == 2, false].prefix(zones).map { $0 })
    }

    @Test("of a later request of zones or subscriptions fail its changes and the following ones alone")
    func laterRequests() async throws {
        let store = try CloudKitStore()
        let database = try database(of: store) { operation, number in
            (operation == .zonesModify || operation == .subscriptionsModify) && number == 1
        }
        let zones = (0..<250).map { RecordZone(zoneName: "\($0)") }
        let none = RecordZone.ID(zoneName: "None")
        let (saves, deletions) = try await database.modifyRecordZones(saving: zones, deleting: [none])
        let saved = zones.prefix { saves[$0.zoneID]?.code == nil }
        #expect(saved.count == 200)
        for zone in zones.dropFirst(saved.count) { #expect(saves[zone.zoneID]?.code == .requestRateLimited) }
        #expect(deletions[none]?.code == .requestRateLimited)
        #expect(try await store.container.privateDatabase.allRecordZones().count == 201)

        let subscriptions = (0..<201).map {
            QuerySubscription(recordType: "Type\($0)", subscriptionID: "\($0)", options: [.firesOnRecordCreation])
        }
        let (results, ends) = try await database.modifySubscriptions(
            saving: subscriptions.map(Subscription.query), deleting: ["none"])
        #expect(results["0"]?.code == nil)
        #expect(subscriptions.prefix { results[$0.subscriptionID]?.code != .requestRateLimited }.count == 200)
        #expect(results["200"]?.code == .requestRateLimited && ends["none"]?.code == .requestRateLimited)
    }

    @Test("of the change of a subscription that exists leave the others saved")
    func changedSubscription() async throws {
        let store = try CloudKitStore()
        func subscription(_ id: String, _ options: QuerySubscription.Options) -> Subscription {
            .query(QuerySubscription(recordType: "Type\(id)", subscriptionID: id, options: options))
        }
        try await store.container.privateDatabase.save(subscription("a", [.firesOnRecordCreation]))
        // To create the subscription returns the existing one, and a second request changes it.
        let database = try database(of: store) { operation, number in operation == .subscriptionsModify && number == 1 }
        let (results, _) = try await database.modifySubscriptions(
            saving: [subscription("a", [.firesOnRecordDeletion]), subscription("b", [.firesOnRecordCreation])],
            deleting: [])
        #expect(results["a"]?.code == .requestRateLimited)
        #expect(results["b"]?.code == nil)
    }

    @Test("of the first request of a batch are thrown")
    func first() async throws {
        let database = try database(of: try CloudKitStore()) { operation, _ in operation == .recordsModify }
        await #expect(throws: CabinetError(.requestRateLimited)) {
            try await database.modifyRecords(
                saving: [Record(recordType: "Items")], deleting: [], atomically: false)
        }
    }

    @Test("of the request that creates a share fail the share alone, and say that its root is saved")
    func shares() async throws {
        let store = try CloudKitStore()
        let zone = try await store.container.privateDatabase.save(RecordZone(zoneName: "Z"))
        let root = Record(recordType: "Lists", recordID: RecordID(recordName: "list", zoneID: zone.zoneID))
        let share = Share(rootRecord: root)
        let database = try database(of: store) { operation, number in operation == .recordsModify && number == 1 }
        let (saves, _) = try await database.modifyRecords(
            saving: [root, share.record], deleting: [], atomically: false)
        #expect(saves[root.recordID]?.record != nil)
        let error = #expect(throws: CabinetError(.requestRateLimited)) { try saves[share.recordID]?.get() }
        #expect(error?.message.contains("after its root") == true)
    }

    @Test("of a read after a save leave the records saved")
    func reads() async throws {
        let store = try CloudKitStore()
        let database = try database(of: store) { operation, _ in operation == .recordsLookup }
        let old = try await database.save(Record(recordType: "Items"))
        var next = old
        next["name"] = "Milk"
        _ = try await database.save(next)
        var late = old
        late["name"] = "Bread"
        let other = Record(recordType: "Items")
        let (saves, _) = try await database.modifyRecords(saving: [late, other], deleting: [], atomically: false)
        #expect(saves[other.recordID]?.record != nil)
        #expect(throws: CabinetError(.serverRecordChanged)) { try saves[late.recordID]?.get() }
        // Only the changes of the root that a new share makes are read.
        let zone = try await database.save(RecordZone(zoneName: "Z"))
        let root = Record(recordType: "Lists", recordID: RecordID(recordName: "list", zoneID: zone.zoneID))
        let share = Share(rootRecord: root)
        let shared = try await database.modifyRecords(saving: [root, share.record], deleting: []).saveResults
        #expect(shared[root.recordID]?.record != nil && shared[share.recordID]?.record != nil)
    }

    @Test("are those of a subscription alone that a client of Cabinet has saved, and CloudKit cannot say")
    func subscriptions() async throws {
        let store = try CloudKitStore()
        for (id, format) in [("a", "number == 1 OR number == 2"), ("b", "number == 1")] {
            try await store.container.privateDatabase.save(
                QuerySubscription(
                    recordType: "Items", filter: try Filter(format), subscriptionID: id,
                    options: [.firesOnRecordCreation]))
        }
        for (operation, json) in [
            (CloudKitOperation.subscriptionsList, "{}"),
            (.subscriptionsLookup, #"{"subscriptions":[{"subscriptionID":"a"},{"subscriptionID":"b"}]}"#),
        ] {
            let answer = try await store.post(operation, json)
            #expect(answer.status == 200)
            let items = answer.json.items("subscriptions")
            #expect(items.map { $0.text("subscriptionID") } == ["a", "b"])
            #expect(items.map { $0.text("serverErrorCode") } == ["BAD_REQUEST", nil])
        }
    }

    @Test("of an asset that the store lacks are those of its records alone", arguments: [true, false])
    func assets(isAtomic: Bool) async throws {
        let store = try CloudKitStore()
        try await store.post(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
        let checksum = Asset.Checksum(of: Data([1]))
        let value = #"{"fileChecksum":"\#(Data(checksum.bytes).base64EncodedString())","size":1}"#
        let answer = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Notes","recordName":"a","fields":{"photo":{"value":\#(value)}}}},{"operationType":"create","record":{"recordType":"Notes","recordName":"b"}}"#,
            zone: "Z", atomic: isAtomic)
        #expect(answer.status == (isAtomic ? 400 : 200))
        #expect(
            answer.json.items("records").map { $0.text("serverErrorCode") }
                == ["BAD_REQUEST", isAtomic ? "ATOMIC_ERROR" : nil])
    }

    @Test(
        "have a whole number of seconds, also of another server",
        arguments: [(0.2, 1), (1e300, 86_400), (-1, 0), (.nan, 0), (.infinity, 86_400)] as [(Double, Int)])
    func seconds(_ seconds: Double, expected: Int) throws {
        let response = CloudKitResponse(
            CabinetError(.requestRateLimited, "Slow.", retryAfterSeconds: seconds), requestID: "R1")
        #expect(response.retryAfter == expected)
        #expect(try JSONText(response.body).root["retryAfter"]?.int64() == Int64(expected))
    }

    @Test("name the page for signing in if a request needs a user")
    func signingIn() async throws {
        let store = try CloudKitStore()
        let endpoint = CloudKitEndpoint(
            service: store.container.service, host: store.host, caller: Caller(account: nil, deviceID: "d"),
            scope: .private, requestID: "R1", signInURL: "https://example.com/sign-in")
        for operation in [CloudKitOperation.zonesList, .recordsModify, .assetsUpload] {
            let body = #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"a"}}],"tokens":[]}"#
            let response = await endpoint.response(to: operation, body: Array(body.utf8))
            #expect(response.status == 421)
            #expect(try JSONText(response.body).root.text("redirectURL") == "https://example.com/sign-in")
        }
    }

    @Test("have reasons that say what a client of the dialect does")
    func reasons() async throws {
        let store = try CloudKitStore()
        func reason(_ kind: String, _ record: String) async throws -> String? {
            let operation = #"{"operationType":"\#(kind)","record":{"recordType":"Items",\#(record)}}"#
            return try await store.modify(operation).json.items("records").first?.text("reason")
        }
        let validate = #""fields":{"list":{"value":{"recordName":"a","action":"VALIDATE"},"type":"REFERENCE"}}"#
        #expect(try await reason("create", #""recordName":"a""#) == nil)
        #expect(try await reason("create", #""recordName":"b",\#(validate)"#) == nil)
        let exists = try await reason("create", #""recordName":"a""#)
        #expect(exists?.contains("exists already. Update it with its change tag") == true)
        let changed = try await reason("update", #""recordName":"a","recordChangeTag":"old""#)
        #expect(changed?.contains("Merge the changes into 'serverRecord'") == true)
        let deleted = try await reason("update", #""recordName":"c","recordChangeTag":"old""#)
        #expect(deleted?.contains("'forceUpdate'") == true)
        let denied = try await reason("forceDelete", #""recordName":"a""#)
        #expect(denied?.contains("'list'") == true && denied?.contains("deny") == false)
        let answer = await store.endpoint(account: .some(nil)).response(to: .zonesList, body: [])
        let unauthenticated = try JSONText(answer.body).root.text("reason")
        #expect(answer.status == 421 && unauthenticated?.contains("'ckWebAuthToken'") == true)
    }

    @Test("do not come from a zone's own token for a user without the right to read a type")
    func grants() async throws {
        let store = try CloudKitStore()
        var schema = Schema(recordTypes: [:], roles: ["Editor"])
        schema["Notes"] = .init(
            fields: ["name": .init(.string)], grants: ["_icloud": [.create], "Editor": [.read]])
        try await store.container.apply(schema)
        let zones = try await store.post(.zonesList, in: .public)
        let token = try #require(zones.json.items("zones").first?.text("syncToken"))
        let changes = try await store.post(
            .changesZone, #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"},"syncToken":"\#(token)"}]}"#, in: .public)
        #expect(changes.json.items("zones").first?.text("reason") == nil)
    }
}
