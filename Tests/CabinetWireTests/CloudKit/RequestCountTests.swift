import Cabinet
import CabinetTesting
import CabinetWire
import Testing

@Suite("An operation of CloudKit Web Services asks the service for no more than it needs")
struct RequestCountTests {
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
        let service = CountingService(try LocalDatabaseService(backend: MemoryBackend()))
        let endpoint = CloudKitEndpoint(
            service: service, host: TestHost(),
            caller: Caller(account: Account(userRecordName: "_ann"), deviceID: "browser"), scope: .private,
            requestID: "R1")
        let first = #"{"operations":[{"operationType":"create","record":{"recordType":"Items","recordName":"first"}}]}"#
        _ = await endpoint.response(to: .recordsModify, body: Array(first.utf8))
        _ = service.takeNames()
        let response = await endpoint.response(to: operation, body: Array(json.utf8))
        #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        return service.takeNames()
    }
}
