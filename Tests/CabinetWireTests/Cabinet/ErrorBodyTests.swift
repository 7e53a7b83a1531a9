import Cabinet
import CabinetWire
import Foundation
import Testing

@Suite("Errors of Cabinet's own dialect")
struct ErrorBodyTests {
    @Test("have a status of failure for each code, and 500 for one that is not known")
    func statuses() {
        for number in 1...40 {
            let status = CabinetError.Code(rawValue: number).status
            #expect((400..<600).contains(status))
            if number > 36 { #expect(status == 500) }
        }
        let server = (1...36).map(CabinetError.Code.init).filter { $0.status >= 500 }
        #expect(
            Set(server) == [
                .internalError, .networkUnavailable, .networkFailure, .serviceUnavailable, .serverRejectedRequest,
                .incompatibleVersion, .operationCancelled, .zoneBusy, .quotaExceeded, .serverResponseLost,
                .accountTemporarilyUnavailable,
            ])
        #expect(CabinetError.Code.requestRateLimited.status == 429)
        #expect(CabinetError.Code.unknownItem.status == 404)
    }

    @Test("are coded whole")
    func coded() throws {
        let error = CabinetError(.zoneBusy, "Busy.", recordID: "milk", retryAfterSeconds: 2)
        let decoded = try CabinetError.coding.decode(CabinetError.body(of: error))
        #expect(decoded.description == error.description)
    }

    @Test("do not show an error of another type")
    func foreign() throws {
        struct Secret: Error, CustomStringConvertible { let description = "password" }
        let body = String(decoding: CabinetError.body(of: Secret()), as: UTF8.self)
        #expect(!body.contains("password"))
        #expect(try CabinetError.coding.decode(Array(body.utf8)).code == .internalError)
    }

    @Test("have a body also if the server's record has no coding")
    func uncodable() throws {
        var record = Record(recordType: "Items", recordID: "milk")
        record["photo"] = Asset(data: .init([1]))
        let error = CabinetError(
            .serverRecordChanged, "Changed.", recordID: "milk",
            conflict: RecordConflict(clientRecord: record, serverRecord: record, ancestorRecord: nil))
        let decoded = try CabinetError.coding.decode(CabinetError.body(of: error))
        #expect(decoded.code == .serverRecordChanged)
        #expect(decoded.recordID == "milk")
    }
}
