@testable import CabinetCloudKit
import CoreLocation
import Foundation
import Testing

/// Members that programs use in passing.
@Suite("Descriptions, unknown values, and the address book")
struct SmallMemberTests {
    @Test("pending changes and events name their records and zones")
    func descriptions() {
        let id = CKRecord.ID(recordName: "milk", zoneID: CKRecordZone.ID(zoneName: "Lists"))
        let save = CKSyncEngine.PendingRecordZoneChange.saveRecord(id)
        #expect(save.description == "saveRecord(\(id))" && "\(save)".contains("milk"))
        #expect("\(CKSyncEngine.PendingRecordZoneChange.deleteRecord(id))" == "deleteRecord(\(id))")
        let zone = CKRecordZone(zoneID: id.zoneID)
        #expect("\(CKSyncEngine.PendingDatabaseChange.saveZone(zone))" == "saveZone(\(id.zoneID))")
        #expect("\(CKSyncEngine.PendingDatabaseChange.deleteZone(id.zoneID))".contains("Lists"))
        let event = CKSyncEngine.Event.willFetchRecordZoneChanges(.init(zoneID: id.zoneID))
        #expect("\(event)" == "willFetchRecordZoneChanges(\(id.zoneID))")
        let deleted = CKSyncEngine.Event.SentRecordZoneChanges(
            savedRecords: [], failedRecordSaves: [], deletedRecordIDs: [id], failedRecordDeletes: [:])
        #expect(deleted.description.hasPrefix("SentRecordZoneChanges(savedRecords: []"))
        #expect(deleted.description.contains("\(id)"))
        let context = CKSyncEngine.SendChangesContext(reason: .manual, options: .init(scope: .recordIDs([id])))
        #expect(context.description.hasPrefix("SendChangesContext(reason: manual, options: SendChangesOptions(scope: "))
    }

    @Test("values among the arguments of formats are printed")
    func formats() {
        let date = Date(timeIntervalSince1970: 0)
        let text = String(
            format: "%@|%d|%@|%@|%@", date as any CVarArg, 2, [1, 2] as any CVarArg, NSNumber(value: 3) as any CVarArg,
            "a")
        #if canImport(ObjectiveC)
        #expect(text.hasSuffix("|3|a"))
        #else
        #expect(text == "\(date)|2|[1, 2]|3|a")
        #endif
    }

    @Test("what CoreLocation does not know is unknown")
    func location() {
        let location = CLLocation(latitude: 1, longitude: 2)
        #expect(location.floor == nil && location.speedAccuracy < 0 && location.courseAccuracy < 0)
    }

    @Test("users are not found without an address book")
    func discovery() async throws {
        try await CloudStore.memory.run { container in
            #expect(
                await code { try await container.userIdentity(forEmailAddress: "a@b.c") } == .serverRejectedRequest)
            #expect(
                await code { try await container.userIdentities(forPhoneNumbers: ["1"]) } == .serverRejectedRequest)
            let error: (any Error)? = await withCheckedContinuation { continuation in
                container.discoverUserIdentities(forUserRecordIDs: [CKRecord.ID(recordName: "_a")]) { result in
                    if case .failure(let error) = result {
                        continuation.resume(returning: error)
                    } else {
                        continuation.resume(returning: nil)
                    }
                }
            }
            #expect((error as? CKError)?.code == .serverRejectedRequest)
        }
    }
}
