import Cabinet
import Foundation

@testable import CabinetWire

/// A service that speaks CloudKit Web Services with another one, as a client with a server.
struct CloudKitLoopback: DatabaseService {
    let base: any DatabaseService
    /// Whether the client knows the user's name.
    var knowsUser = true

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let handler = CloudKitRequestHandler(
            Transport(base: base, caller: caller),
            userRecordName: knowsUser ? caller.account?.userRecordName : nil)
        return try await request.response(from: handler)
    }

    private struct Transport: CloudKitTransport {
        let base: any DatabaseService
        let caller: Caller

        func send(
            _ operation: CloudKitOperation, to scope: DatabaseScope, body: [UInt8]
        ) async throws -> CloudKitResponse {
            await CloudKitEndpoint(service: base, host: TestHost(), caller: caller, scope: scope, requestID: "R1")
                .response(to: operation, body: body)
        }

        func remember(_ url: String, of asset: StoredAsset) {}
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        try await base.send(bytes, to: upload, at: offset, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        try base.signals(of: scopes, for: caller)
    }

    func close() async { await base.close() }
}
