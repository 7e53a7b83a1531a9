import Cabinet
import CloudKit
import Foundation
import Testing

@Suite("Programs of Swift 5 that read errors as NSError")
struct ErrorTests {
    private let database = CKContainer(identifier: "iCloud.errors", backend: MemoryBackend()).privateCloudDatabase

    /// Sends a request with one record that fails, and returns its error.
    private func partialFailure() async throws -> (error: Error, id: CKRecord.ID) {
        let record = CKRecord(recordType: "Items")
        try await database.save(record)
        let copy = CKRecord(recordType: "Items", recordID: record.recordID)
        let operation = CKModifyRecordsOperation(recordsToSave: [copy], recordIDsToDelete: nil)
        let error: Error? = await withCheckedContinuation { continuation in
            operation.modifyRecordsCompletionBlock = { continuation.resume(returning: $2) }
            database.add(operation)
        }
        return (try #require(error), record.recordID)
    }

    @Test("an error is cast to NSError and back")
    func casts() async throws {
        let (error, _) = try await partialFailure()
        let bridged = try #require((error as Any) as? NSError)
        #expect(bridged.domain == CKErrorDomain && bridged.code == CKError.Code.partialFailure.rawValue)
        #expect(((bridged as Error) as? CKError)?.code == .partialFailure)
        #expect((NSError(domain: CKErrorDomain, code: 26) as Error as? CKError)?.code == .zoneNotFound)
        #expect(NSError(domain: NSCocoaErrorDomain, code: 26) as Error as? CKError == nil)
        #expect(NSError(domain: CKErrorDomain, code: -7) as Error as? CKError == nil)
    }

    @Test("the errors of single records are read as NSError")
    func items() async throws {
        let (error, id) = try await partialFailure()
        let partial = (error as NSError).userInfo[CKPartialErrorsByItemIDKey]
        #expect((partial as? [CKRecord.ID: NSError])?[id]?.code == CKError.Code.serverRecordChanged.rawValue)
        let item = (partial as? NSDictionary)?[id] as? NSError
        #expect(item?.userInfo[CKRecordChangedErrorServerRecordKey] is CKRecord)
        #expect((partial as? [CKRecord.ID: CKError])?[id]?.code == .serverRecordChanged)
    }

    @Test("a thrown NSError is caught by its code")
    func patterns() {
        func fail() throws { throw NSError(domain: CKErrorDomain, code: CKError.Code.zoneNotFound.rawValue) }
        do {
            try fail()
            Issue.record("No error was thrown.")
        } catch CKError.zoneNotFound {
        } catch {
            Issue.record("Another error was thrown: \(error)")
        }
    }
}
