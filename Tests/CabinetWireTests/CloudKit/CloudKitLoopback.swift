import Cabinet
import CabinetTesting

@testable import CabinetWire

/// A service that speaks CloudKit Web Services with another one, as a client with a server.
struct CloudKitLoopback: WrappingService {
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
}
