import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetWire

@Suite("A client of CloudKit Web Services", .serialized)
struct ClientTests {
    private static func database(knowsUser: Bool = true) throws -> Database {
        let store = try CloudKitStore()
        return store.container.over(CloudKitLoopback(base: store.container.service, knowsUser: knowsUser))
            .privateDatabase
    }

    @Test("saves, fetches, queries and deletes", arguments: [true, false])
    func roundTrip(knowsUser: Bool) async throws {
        let database = try Self.database(knowsUser: knowsUser)
        let zone = try await database.save(RecordZone(zoneName: "Groceries"))
        var list = Record(recordType: "Lists", recordID: RecordID(recordName: "L1", zoneID: zone.zoneID))
        list["name"] = "Groceries"
        list = try await database.save(list)
        var item = Record(recordType: "Items", recordID: RecordID(recordName: "milk", zoneID: zone.zoneID))
        item["name"] = "Milk"
        item["number"] = 2
        item["list"] = Reference(record: list, action: .deleteSelf)
        item.setParent(list)
        item = try await database.save(item)
        #expect(item.recordID.zoneID == zone.zoneID)
        #expect(item.changedKeys().isEmpty)
        item["number"] = nil
        item.setParent(nil as Record?)
        item = try await database.save(item)
        let fetched = try await database.record(for: item.recordID)
        #expect(fetched == item)
        #expect(fetched.parent == nil)
        #expect(Set(fetched.allKeys()) == ["name", "list"])

        let query = Query(recordType: "Items", filter: .field("list") == list, sortedBy: ["name"])
        let (results, cursor) = try await database.records(
            matching: query, inZoneWith: zone.zoneID, desiredKeys: ["name"])
        #expect(results.compactMap { $0.1.record }.map { $0["name"] as? String } == ["Milk"])
        #expect(cursor == nil)
        try await database.deleteRecord(withID: list.recordID)
        await #expect(throws: CabinetError(.unknownItem)) { try await database.record(for: item.recordID) }
    }

    @Test("removes a field and a parent with each policy", arguments: RecordSavePolicy.allCases)
    func removals(_ policy: RecordSavePolicy) async throws {
        let database = try Self.database()
        let list = try await database.save(Record(recordType: "Lists"))
        var item = Record(recordType: "Items")
        (item["name"], item["number"]) = ("Milk", 2)
        item.setParent(list)
        item = try await database.save(item)
        item["number"] = nil
        item.setParent(nil as Record?)
        _ = try await database.modifyRecords(saving: [item], deleting: [], savePolicy: policy)
        let saved = try await database.record(for: item.recordID)
        #expect(saved.allKeys() == ["name"])
        #expect(saved.parent == nil)
    }

    @Test("gets pages by continuation markers")
    func pages() async throws {
        let database = try Self.database()
        let records = (0..<25).map { number in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "i\(number)"))
            record["number"] = number % 3
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        for order in [[], [Sort("number", ascending: false)], ["number", "name"]] as [[Sort]] {
            let query = Query(recordType: "Items", sortedBy: order)
            var names: [String] = []
            var page = try await database.records(matching: query, resultsLimit: 7)
            while true {
                names += page.matchResults.map { $0.0.recordName }
                guard let kept = page.queryCursor else { break }
                let cursor = try JSONDecoder().decode(Query.Cursor.self, from: JSONEncoder().encode(kept))
                #expect(cursor == kept)
                page = try await database.records(continuingMatchFrom: cursor, resultsLimit: 7)
            }
            #expect(names.count == 25)
            #expect(Set(names).count == 25)
        }
    }

    @Test("learns the server's record of a conflict, and of each record of an atomic batch why it failed")
    func conflicts() async throws {
        let database = try Self.database()
        let zone = try await database.save(RecordZone(zoneName: "Z"))
        var milk = Record(recordType: "Items", recordID: RecordID(recordName: "milk", zoneID: zone.zoneID))
        milk["number"] = 1
        let old = try await database.save(milk)
        milk = old
        milk["number"] = 2
        milk = try await database.save(milk)
        var late = old
        late["number"] = 3
        let bread = Record(recordType: "Items", recordID: RecordID(recordName: "bread", zoneID: zone.zoneID))
        do {
            _ = try await database.modifyRecords(saving: [bread, late], deleting: [])
            Issue.record("The batch succeeded.")
        } catch let error as CabinetError {
            #expect(error.code == .partialFailure)
            let conflict = try #require(error.partialErrorsByItemID[late.recordID])
            #expect(conflict.code == .serverRecordChanged)
            #expect(conflict.serverRecord == milk)
            #expect(conflict.clientRecord == late)
            #expect(error.partialErrorsByItemID[bread.recordID]?.code == .batchRequestFailed)
        }
    }

    @Test("follows the changes of a database and a zone, and learns that a token expired")
    func changes() async throws {
        let database = try Self.database()
        let zone = try await database.save(RecordZone(zoneName: "Z"))
        let item = try await database.save(
            Record(recordType: "Items", recordID: RecordID(recordName: "a", zoneID: zone.zoneID)))
        let changed = try await database.databaseChanges(since: nil)
        #expect(changed.modifications.map(\.zoneID).contains(zone.zoneID))
        let first = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
        #expect(first.modificationResultsByID.keys.map(\.recordName) == ["a"])
        try await database.deleteRecord(withID: item.recordID)
        let kept = try JSONDecoder().decode(ServerChangeToken.self, from: JSONEncoder().encode(first.changeToken))
        #expect(kept == first.changeToken)
        let second = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: kept)
        #expect(second.deletions.map(\.recordID) == [item.recordID])
        #expect(second.deletions.map(\.recordType) == ["Items"])
        try await database.deleteRecordZone(withID: zone.zoneID)
        let last = try await database.databaseChanges(since: changed.changeToken)
        #expect(last.deletions.map(\.zoneID) == [zone.zoneID])
        _ = try await database.save(zone)
        await #expect(throws: CabinetError(.changeTokenExpired)) {
            try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: second.changeToken)
        }
    }

    @Test("has tokens and markers that a store itself refuses")
    func foreignPositions() async throws {
        let service = try CloudKitStore().container.service
        let caller = Caller(account: Account(userRecordName: "_ann"), deviceID: "d")
        var changes = FetchDatabaseChangesRequest(in: .private)
        changes.since = FeedPosition(foreignToken: "x")
        await #expect(throws: CabinetError(.changeTokenExpired)) { try await service.perform(changes, for: caller) }
        var save = ModifyRecordsRequest(in: .private)
        save.recordsToSave = [Record(recordType: "Items")]
        _ = try await service.perform(save, for: caller)
        var query = QueryRecordsRequest(in: .private)
        query.query = Query(recordType: "Items")
        query.position = QueryPosition(marker: "x")
        await #expect(throws: CabinetError(.invalidArguments)) { try await service.perform(query, for: caller) }
    }

    @Test("saves, lists and deletes subscriptions")
    func subscriptions() async throws {
        let database = try Self.database()
        try await database.save(Record(recordType: "Items"))
        let zone = try await database.save(RecordZone(zoneName: "Z"))
        let subscriptions: [Subscription] = [
            .query(
                QuerySubscription(
                    recordType: "Items", filter: .field("number") > 3, subscriptionID: "a",
                    options: [.firesOnRecordCreation, .firesOnce], desiredKeys: ["number"])),
            .recordZone(RecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "b", recordType: "Items")),
            .database(DatabaseSubscription(subscriptionID: "c", recordType: "Items")),
        ]
        for subscription in subscriptions { #expect(try await database.save(subscription) == subscription) }
        #expect(try await database.allSubscriptions() == subscriptions)
        try await database.deleteSubscription(withID: "a")
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["b", "c"])
    }

    @Test("refuses clearly what CloudKit lacks")
    func refusals() async throws {
        let database = try Self.database()
        try await database.save(Record(recordType: "Items"))
        await #expect(throws: CabinetError(.serverRejectedRequest)) {
            try await database.count(matching: Query(recordType: "Items"))
        }
        await #expect(throws: CabinetError(.invalidArguments)) {
            try await database.records(matching: Query(recordType: "Items", filter: try Filter("a == 1 OR b == 2")))
        }
        var record = Record(recordType: "Items")
        record["list"] = Reference(recordID: "x", action: .nullify)
        do {
            try await database.save(record)
            Issue.record("The save succeeded.")
        } catch let error as CabinetError {
            #expect(error.code == .invalidArguments)
            #expect(error.fieldKey == "list")
        }
    }

    /// A transport with a canned answer.
    private struct Canned: CloudKitTransport {
        let status: Int
        let body: String

        func send(
            _ operation: CloudKitOperation, to scope: DatabaseScope, body: [UInt8]
        ) async throws -> CloudKitResponse {
            CloudKitResponse(status: status, body: Array(self.body.utf8))
        }

        func remember(_ url: String, of asset: StoredAsset, in slot: AssetSlot) {}
        func slot(of asset: StoredAsset) -> AssetSlot? { nil }
        func shareURL(of shortGUID: String) -> URL? { nil }
        func beginUpload() async throws -> UUID { UUID() }
        func finishUpload(_ upload: UUID) async throws -> StoredAsset {
            StoredAsset(checksum: .init(of: Data()), size: 0)
        }
        func endUploads(_ uploads: [UUID]) async {}
        func send(_ upload: UUID, to url: String) async throws -> CloudKitResponse {
            CloudKitResponse(status: status, body: Array(body.utf8))
        }
    }

    @Test(
        "reads the errors of Apple's service",
        arguments: [
            (
                421,
                #"{"uuid":"1","serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"r","redirectURL":"https://x"}"#,
                CabinetError.Code.notAuthenticated
            ),
            (429, #"{"serverErrorCode":"THROTTLED","reason":"r","retryAfter":30}"#, .requestRateLimited),
            (404, #"{"serverErrorCode":"ZONE_NOT_FOUND","reason":"r"}"#, .zoneNotFound),
            (500, "<html>", .serviceUnavailable),
            (400, #"{"serverErrorCode":"BAD_REQUEST","reason":"Change token expired: x"}"#, .changeTokenExpired),
            (200, "{}", .invalidArguments), (200, #"{"records":[]}"#, .internalError), (404, "{}", .internalError),
            (200, #"{"records":[{"recordName":"milk"}]}"#, .invalidArguments), (200, "[]", .internalError),
        ])
    func errors(status: Int, body: String, code: CabinetError.Code) async throws {
        let handler = CloudKitRequestHandler(Canned(status: status, body: body), userRecordName: nil)
        var request = FetchRecordsRequest(in: .private)
        request.recordIDs = ["milk"]
        do {
            _ = try await handler.response(to: request)
            Issue.record("The request succeeded.")
        } catch let error as CabinetError {
            #expect(error.code == code)
            if code == .requestRateLimited { #expect(error.retryAfterSeconds == 30) }
        }
    }

    @Test("reads an asset whose checksum is of another kind")
    func foreignAsset() async throws {
        let body =
            #"{"records":[{"recordName":"milk","recordType":"Items","fields":{"photo":{"value":{"fileChecksum":"ASbc12Q=","size":7,"downloadURL":"https://x/${f}"},"type":"ASSETID"}}}]}"#
        let handler = CloudKitRequestHandler(Canned(status: 200, body: body), userRecordName: nil)
        var request = FetchRecordsRequest(in: .private)
        request.recordIDs = ["milk"]
        let record = try #require(try await handler.response(to: request).results.first?.record)
        let asset: Asset? = record["photo"]
        #expect(asset?.size == 7)
        #expect(record.recordChangeTag == nil)
    }
}
