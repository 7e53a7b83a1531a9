import Cabinet
import Foundation
import Synchronization
import Testing

import CabinetWire

@Suite("An operation of CloudKit Web Services asks the service for no more than it needs")
struct RequestCountTests {
    /// A service that collects the names of its requests.
    private final class NamingService: DatabaseService {
        let base: LocalDatabaseService
        let names = Mutex<[String]>([])

        init() throws {
            base = try LocalDatabaseService(backend: MemoryBackend())
        }

        func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
            names.withLock { $0.append(Request.name) }
            return try await base.perform(request, for: caller)
        }

        func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
            try await base.send(bytes, to: upload, at: offset, for: caller)
        }

        func bytes(
            of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope,
            for caller: Caller
        ) async throws -> Data {
            try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
        }

        func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
            try base.signals(of: scopes, for: caller)
        }

        func close() async { await base.close() }
    }

    @Test(
        "A save is one request, and the schema is a second one where a value has no type",
        arguments: [
            (
                #""create","record":{"recordType":"Items","recordName":"a","fields":{"n":{"value":1,"type":"INT64"}}}"#,
                false
            ),
            (#""create","record":{"recordType":"Items","recordName":"a"}"#, false),
            (#""create","record":{"recordType":"Items","recordName":"a","fields":{"n":null}}"#, false),
            (#""create","record":{"recordType":"Items","recordName":"a","fields":{"n":{"value":1}}}"#, true),
            (#""create","record":{"recordType":"Items","recordName":"a","fields":{"n":1}}"#, true),
            (
                #""create","record":{"recordType":"Items","recordName":"a","fields":{"n":{"value":[],"type":"UNKNOWN_LIST"}}}"#,
                true
            ),
            (
                #""forceReplace","record":{"recordType":"Items","recordName":"a","fields":{"n":{"value":1,"type":"INT64"}}}"#,
                true
            ), (#""forceDelete","record":{"recordName":"a"}"#, false),
        ])
    func save(operation: String, needsSchema: Bool) async throws {
        let names = try await names(.recordsModify, #"{"operations":[{"operationType":\#(operation)}]}"#)
        #expect(names == (needsSchema ? ["fetchSchema"] : []) + ["modifyRecords"])
    }

    @Test("A query reads the schema if it names fields")
    func query() async throws {
        let all = #"{"query":{"recordType":"Items"}}"#
        #expect(try await names(.recordsQuery, all) == ["queryRecords"])
        let sorted = #"{"query":{"recordType":"Items","sortBy":[{"systemFieldName":"createdTimestamp"}]}}"#
        #expect(try await names(.recordsQuery, sorted) == ["fetchSchema", "queryRecords"])
    }

    private func names(_ operation: CloudKitOperation, _ json: String) async throws -> [String] {
        let service = try NamingService()
        let endpoint = CloudKitEndpoint(
            service: service, host: TestHost(),
            caller: Caller(account: Account(userRecordName: "_ann"), deviceID: "browser"), scope: .private,
            requestID: "R1")
        let first = #"{"operations":[{"operationType":"create","record":{"recordType":"Items","recordName":"first"}}]}"#
        _ = await endpoint.response(to: .recordsModify, body: Array(first.utf8))
        service.names.withLock { $0 = [] }
        let response = await endpoint.response(to: operation, body: Array(json.utf8))
        #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        return service.names.withLock { $0 }
    }
}
