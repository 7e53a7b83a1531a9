import Cabinet
import Foundation
import Testing

@testable import CabinetCloudKit
@testable import CabinetICloud

@Suite("An error of CloudKit")
struct ErrorTests {
    @Test("keeps its code", arguments: CKError.Code.allCases)
    func codes(_ code: CKError.Code) {
        let error = CabinetError(cloudKit: CKError(code, userInfo: [NSLocalizedDescriptionKey: "Why."]))
        #expect(error.code.rawValue == code.rawValue)
        #expect(error.message == "Why.")
        #expect(error.underlyingError is CKError)
    }

    @Test("keeps a code that no version of Cabinet names")
    func unknownCode() {
        let error = CabinetError(
            cloudKit: NSError(
                domain: CKError.errorDomain, code: 9_999, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 3)]))
        #expect(error.code == CabinetError.Code(rawValue: 9_999))
        #expect(error.retryAfterSeconds == 3)
    }

    @Test("of another domain is named")
    func otherDomains() {
        #expect(CabinetError(cloudKit: URLError(.timedOut)).code == .networkFailure)
        #expect(CabinetError(cloudKit: CancellationError()).code == .operationCancelled)
        #expect(CabinetError(cloudKit: NSError(domain: "Other", code: 1)).code == .internalError)
        let own = CabinetError(.zoneBusy, "Busy.")
        #expect(CabinetError(cloudKit: own).code == .zoneBusy)
    }

    @Test("has the errors of its items, and passes over items of other kinds")
    func partialErrors() {
        let id = CKRecord.ID(recordName: "a")
        let items: [AnyHashable: any Error] = [id: CKError(.unknownItem), "b": CKError(.unknownItem)]
        let error = CabinetError(
            cloudKit: CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: items]))
        #expect(error.partialErrorsByItemID.mapValues(\.code) == [RecordID(recordName: "a"): .unknownItem])
        let malformed = CabinetError(cloudKit: CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: 3]))
        #expect(malformed.partialErrorsByItemID.isEmpty)
    }

    @Test("of a conflict has the server's record, if CloudKit gives it")
    func conflict() throws {
        let reader = RecordReader(
            scope: .private, user: "_anna", assets: ICloudAssets(), systemFields: SystemFieldsCache())
        let server = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "a"))
        server["number"] = 2
        let error = CabinetError(
            cloudKit: CKError(.serverRecordChanged, userInfo: [CKRecordChangedErrorServerRecordKey: server]), reader)
        #expect(error.serverRecord?["number"] == 2)
        #expect(CabinetError(cloudKit: CKError(.serverRecordChanged), reader).conflict == nil)
        let malformed = CKError(.serverRecordChanged, userInfo: [CKRecordChangedErrorServerRecordKey: "record"])
        #expect(CabinetError(cloudKit: malformed, reader).conflict == nil)
    }

    @Test("of a conflict with a record that cannot be read names the value instead of the conflict")
    func unreadableConflict() {
        var error = CabinetError(cloudKit: CKError(.serverRecordChanged, userInfo: [CKErrorRetryAfterKey: 3.0]))
        let id = RecordID(recordName: "a")
        error.setServerRecord(.failure(CabinetError(.assetNotAvailable, "No file.", recordID: id)))
        #expect(error.code == .serverRecordChanged && error.conflict == nil)
        error.setServerRecord(.failure(CabinetError(.incompatibleVersion, "No.", recordID: id, fieldKey: "number")))
        #expect(error.code == .incompatibleVersion && error.recordID == id && error.fieldKey == "number")
        #expect(error.underlyingError is CKError)
        // A mirror would send a change with a delay again.
        #expect(error.retryAfterSeconds == nil)
    }

    @Test("of a file that is missing is that of an asset")
    func missingFile() throws {
        let reader = RecordReader(
            scope: .private, user: "_anna", assets: ICloudAssets(), systemFields: SystemFieldsCache())
        let server = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "a"))
        server["file"] = CKAsset(fileURL: URL(fileURLWithPath: "/\(UUID())"))
        guard case .failure(let error) = reader.result(server) else {
            Issue.record("The record is read.")
            return
        }
        #expect(error.code == .assetNotAvailable && error.fieldKey == "file" && error.recordID?.recordName == "a")
    }
}
