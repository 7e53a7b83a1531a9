import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetWire

@Suite("A request that is cancelled after a part of it")
struct CancellationTests {
    /// A service that cancels the task of its first request that changes something, once that has succeeded.
    private struct CancellingService: WrappingService {
        let base: any DatabaseService

        func perform<Request: ServiceRequest>(
            _ request: Request, for caller: Caller
        ) async throws -> Request.Response {
            let response = try await base.perform(request, for: caller)
            if Request.effect != .none { withUnsafeCurrentTask { $0?.cancel() } }
            return response
        }
    }

    private let store: CloudKitStore

    init() throws {
        store = try CloudKitStore()
    }

    /// Answers a request in a task that is cancelled after the first change.
    private func post(
        _ operation: CloudKitOperation, _ json: String, in scope: DatabaseScope = .private, as user: String = "_ann"
    ) async throws -> (status: Int, json: JSONNode) {
        let endpoint = CloudKitEndpoint(
            service: CancellingService(base: store.container.service), host: store.host,
            caller: Caller(account: Account(userRecordName: user), deviceID: "web"), scope: scope, requestID: "R1")
        let response = await Task { await endpoint.response(to: operation, body: Array(json.utf8)) }.value
        return (response.status, try JSONText(response.body).root)
    }

    private func codes(_ items: [JSONNode]) -> [String?] { items.map { $0.text("serverErrorCode") } }

    @Test("answers with the zones that it has created, and may be sent again for the others")
    func zones() async throws {
        let operations = ["A", "B", "C"].map {
            #"{"operationType":"create","zone":{"zoneID":{"zoneName":"\#($0)"}}}"#
        }
        let answer = try await post(.zonesModify, #"{"operations":[\#(operations.joined(separator: ","))]}"#)
        #expect(answer.status == 200)
        let zones = answer.json.items("zones")
        #expect(codes(zones) == [nil, "TRY_AGAIN_LATER", "TRY_AGAIN_LATER"])
        #expect(zones.map { $0.has("retryAfter") } == [false, true, true])
        #expect(try await store.post(.zonesList).json.items("zones").count == 2)
    }

    @Test("answers with the records that it has saved, without what it reads afterwards", arguments: [true, false])
    func records(hasDeletion: Bool) async throws {
        let saved = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"old"}}"#)
        let tag = try #require(saved.json.items("records").first?.text("recordChangeTag"))
        let create = #"{"operationType":"create","record":{"recordType":"Items","recordName":"new"}}"#
        let delete = #",{"operationType":"delete","record":{"recordName":"old","recordChangeTag":"\#(tag)"}}"#
        let answer = try await post(
            .recordsModify, #"{"operations":[\#(create)\#(hasDeletion ? delete : "")],"atomic":false}"#)
        #expect(answer.status == 200)
        // The operations are one transaction.
        #expect(codes(answer.json.items("records")) == (hasDeletion ? [nil, nil] : [nil]))
        let names = #"{"records":[{"recordName":"new"},{"recordName":"old"}]}"#
        let found = codes(try await store.post(.recordsLookup, names).json.items("records"))
        #expect(found == [nil, hasDeletion ? "NOT_FOUND" : nil])
    }

    @Test("is refused for a malformed member before it has saved anything")
    func malformed() async throws {
        let create = #"{"operationType":"create","record":{"recordType":"Items","recordName":"new"}}"#
        for member in [#""numbersAsStrings":"yes""#, #""desiredKeys":1"#] {
            let answer = try await post(.recordsModify, #"{"operations":[\#(create)],\#(member)}"#)
            #expect(answer.json.text("serverErrorCode") == "BAD_REQUEST")
        }
        let names = #"{"records":[{"recordName":"new"}]}"#
        #expect(codes(try await store.post(.recordsLookup, names).json.items("records")) == ["NOT_FOUND"])
    }

    @Test("does not say that it may be sent again if it has accepted a share, which it cannot read")
    func acceptance() async throws {
        let shopping = #""zoneID":{"zoneName":"Lists"}"#
        try await store.post(.zonesModify, #"{"operations":[{"operationType":"create","zone":{\#(shopping)}}]}"#)
        let share = #""record":{"recordType":"cloudkit.share","fields":{},"publicPermission":"READ_ONLY"}"#
        let created = try await store.post(
            .recordsModify, #"{"operations":[{"operationType":"create",\#(share)}],\#(shopping),"atomic":true}"#)
        let shortGUID = try #require(created.json.items("records").first?.text("shortGUID"))
        let answer = try await post(
            .recordsAccept, #"{"shortGUIDs":[{"value":"\#(shortGUID)"}]}"#, in: .public, as: "_ben")
        #expect(answer.status == 500 && !answer.json.has("retryAfter"))
        #expect(try CloudKitFailure.read(answer.json)?.code == .serverResponseLost)
    }
}
