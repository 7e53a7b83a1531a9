import Cabinet
import CabinetCloudKit
import Foundation
import Testing

/// As in Apple's module, blocks are not Sendable: they may use objects of the program that no lock protects.
///
/// In Swift 6 mode, this file compiles only if none of the blocks is `@Sendable`.
@Suite("Blocks with captures that are not Sendable", .timeLimit(.minutes(15)))
struct NonSendableBlockTests {
    private final class Screen {
        var lines: [String] = []
        func show(_ line: String) { lines.append(line) }
    }

    private let screen = Screen()
    private let container = CKContainer(identifier: "iCloud.com.example.blocks", backend: MemoryBackend())
    private var database: CKDatabase { container.privateCloudDatabase }

    @Test("a program saves, queries and fetches, and collects what its blocks receive in variables")
    func program() async throws {
        let zone = CKRecordZone(zoneName: "Lists")
        let zones = CKModifyRecordZonesOperation(recordZonesToSave: [zone], recordZoneIDsToDelete: nil)
        zones.perRecordZoneSaveBlock = { id, _ in screen.show(id.zoneName) }
        zones.modifyRecordZonesResultBlock = { _ in screen.show("zones") }
        await database.run(zones)

        let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "milk", zoneID: zone.zoneID))
        var saved: [CKRecord] = []
        let save = CKModifyRecordsOperation(recordsToSave: [record], recordIDsToDelete: nil)
        save.perRecordProgressBlock = { _, progress in screen.show("\(progress)") }
        save.perRecordSaveBlock = { _, result in if let record = try? result.get() { saved.append(record) } }
        save.modifyRecordsResultBlock = { [weak screen] _ in screen?.show("saved") }
        await database.run(save)
        #expect(saved == [record])

        var found: [CKRecord] = []
        var cursor: CKQueryOperation.Cursor?
        let query = CKQueryOperation(query: CKQuery(recordType: "Items", predicate: NSPredicate(value: true)))
        query.recordMatchedBlock = { _, result in if let record = try? result.get() { found.append(record) } }
        query.queryResultBlock = { result in
            if case .success(let next) = result { cursor = next }
            screen.show("found \(found.count)")
        }
        await database.run(query)
        #expect(found == [record] && cursor == nil)

        var token: CKServerChangeToken?
        let changes = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone.zoneID])
        changes.recordWasChangedBlock = { id, _ in screen.show("changed \(id.recordName)") }
        changes.recordZoneFetchResultBlock = { _, result in token = try? result.get().serverChangeToken }
        changes.fetchRecordZoneChangesResultBlock = { _ in screen.show("changes") }
        await database.run(changes)
        #expect(token != nil)
        #expect(screen.lines == ["Lists", "zones", "1.0", "saved", "found 1", "changed milk", "changes"])
    }

    @Test("the other blocks of requests")
    func requests() async {
        let records = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "none")])
        records.perRecordProgressBlock = { _, _ in screen.show("progress") }
        records.perRecordResultBlock = { _, _ in screen.show("result") }
        records.perRecordCompletionBlock = { _, _, _ in screen.show("older result") }
        records.fetchRecordsResultBlock = { _ in screen.show("end") }
        records.fetchRecordsCompletionBlock = { _, _ in screen.show("older end") }
        records.longLivedOperationWasPersistedBlock = { screen.show("persisted") }
        let save = CKModifyRecordsOperation(recordsToSave: nil, recordIDsToDelete: nil)
        save.perRecordDeleteBlock = { _, _ in screen.show("deleted") }
        save.perRecordCompletionBlock = { _, _ in screen.show("older result") }
        save.modifyRecordsCompletionBlock = { _, _, _ in screen.show("older end") }
        let query = CKQueryOperation()
        query.recordFetchedBlock = { _ in screen.show("older result") }
        query.queryCompletionBlock = { _, _ in screen.show("older end") }
        let zones = CKModifyRecordZonesOperation()
        zones.perRecordZoneDeleteBlock = { _, _ in screen.show("deleted") }
        zones.modifyRecordZonesCompletionBlock = { _, _, _ in screen.show("older end") }
        let allZones = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        allZones.perRecordZoneResultBlock = { _, _ in screen.show("result") }
        allZones.fetchRecordZonesResultBlock = { _ in screen.show("end") }
        allZones.fetchRecordZonesCompletionBlock = { _, _ in screen.show("older end") }
        for operation in [records, save, query, zones, allZones] { await database.run(operation) }
        #expect(
            screen.lines == [
                "older result", "result", "end", "older end", "older end", "older end", "older end", "result", "end",
                "older end",
            ])
    }

    @Test("the blocks of changes and subscriptions")
    func changes() async {
        let database = CKFetchDatabaseChangesOperation()
        database.recordZoneWithIDChangedBlock = { _ in screen.show("changed") }
        database.recordZoneWithIDWasDeletedBlock = { _ in screen.show("deleted") }
        database.recordZoneWithIDWasPurgedBlock = { _ in screen.show("purged") }
        database.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = { _ in screen.show("reset") }
        database.changeTokenUpdatedBlock = { _ in screen.show("token") }
        database.fetchDatabaseChangesResultBlock = { _ in screen.show("end") }
        database.fetchDatabaseChangesCompletionBlock = { _, _, _ in screen.show("older end") }
        let zones = CKFetchRecordZoneChangesOperation()
        zones.recordChangedBlock = { _ in screen.show("changed") }
        zones.recordWithIDWasDeletedBlock = { _, _ in screen.show("deleted") }
        zones.recordZoneChangeTokensUpdatedBlock = { _, _, _ in screen.show("token") }
        zones.recordZoneFetchCompletionBlock = { _, _, _, _, _ in screen.show("older result") }
        zones.fetchRecordZoneChangesCompletionBlock = { _ in screen.show("older end") }
        let subscriptions = CKFetchSubscriptionsOperation()
        subscriptions.perSubscriptionResultBlock = { _, _ in screen.show("result") }
        subscriptions.fetchSubscriptionsResultBlock = { _ in screen.show("end") }
        subscriptions.fetchSubscriptionCompletionBlock = { _, _ in screen.show("older end") }
        let modify = CKModifySubscriptionsOperation()
        modify.perSubscriptionSaveBlock = { _, _ in screen.show("saved") }
        modify.perSubscriptionDeleteBlock = { _, _ in screen.show("deleted") }
        modify.modifySubscriptionsResultBlock = { _ in screen.show("end") }
        modify.modifySubscriptionsCompletionBlock = { _, _, _ in screen.show("older end") }
        for operation in [database, zones, subscriptions, modify] { await self.database.run(operation) }
        #expect(
            screen.lines == ["token", "end", "older end", "older end", "end", "older end", "end", "older end"])
    }

    @Test("the blocks of shares and users")
    func shares() async {
        let accept = CKAcceptSharesOperation()
        accept.perShareResultBlock = { _, _ in screen.show("result") }
        accept.perShareCompletionBlock = { _, _, _ in screen.show("older result") }
        accept.acceptSharesResultBlock = { _ in screen.show("end") }
        accept.acceptSharesCompletionBlock = { _ in screen.show("older end") }
        let metadata = CKFetchShareMetadataOperation()
        metadata.perShareMetadataResultBlock = { _, _ in screen.show("result") }
        metadata.perShareMetadataBlock = { _, _, _ in screen.show("older result") }
        metadata.fetchShareMetadataResultBlock = { _ in screen.show("end") }
        metadata.fetchShareMetadataCompletionBlock = { _ in screen.show("older end") }
        let participants = CKFetchShareParticipantsOperation()
        participants.perShareParticipantResultBlock = { _, _ in screen.show("result") }
        participants.shareParticipantFetchedBlock = { _ in screen.show("older result") }
        participants.fetchShareParticipantsResultBlock = { _ in screen.show("end") }
        participants.fetchShareParticipantsCompletionBlock = { _ in screen.show("older end") }
        let all = CKDiscoverAllUserIdentitiesOperation()
        all.userIdentityDiscoveredBlock = { _ in screen.show("user") }
        all.discoverAllUserIdentitiesResultBlock = { _ in screen.show("end") }
        all.discoverAllUserIdentitiesCompletionBlock = { _ in screen.show("older end") }
        let users = CKDiscoverUserIdentitiesOperation()
        users.userIdentityDiscoveredBlock = { _, _ in screen.show("user") }
        users.discoverUserIdentitiesResultBlock = { _ in screen.show("end") }
        users.discoverUserIdentitiesCompletionBlock = { _ in screen.show("older end") }
        let web = CKFetchWebAuthTokenOperation()
        web.fetchWebAuthTokenResultBlock = { _ in screen.show("end") }
        web.fetchWebAuthTokenCompletionBlock = { _, _ in screen.show("older end") }
        for operation in [accept, metadata, participants, all, users] as [CKOperation] {
            await withCheckedContinuation { continuation in
                operation.completionBlock = { continuation.resume() }
                container.add(operation)
            }
        }
        await database.run(web)
        #expect(screen.lines == Array(repeating: ["end", "older end"], count: 6).flatMap(\.self))
    }
}
