import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Synchronization
import Testing

@testable import CabinetServer

/// A server of one container in memory, whose users have their names as tokens.
struct TestServer: Sendable {
    static let container = WireContainer(identifier: "com.example.notes", environment: .development)

    let server: RecordServer
    let service: LocalDatabaseService
    let clock = TestClock()
    let revoked = Revocations()

    final class Revocations: Sendable {
        private let names = Mutex<Set<String>>([])
        func revoke(_ token: String) { _ = names.withLock { $0.insert(token) } }
        func has(_ token: String) -> Bool { names.withLock { $0.contains(token) } }
    }

    init(
        _ container: WireContainer = Self.container, configuration: RecordServer.Configuration = .init(),
        wrapping: (any DatabaseService) -> any DatabaseService = { $0 }
    ) throws {
        service = try LocalDatabaseService(backend: MemoryBackend(), now: clock.now)
        let authenticator = BearerAuthenticator { [revoked] token, _ in
            if revoked.has(token) || !token.hasPrefix("_") { return nil }
            let parts = token.split(separator: ".").map(String.init)
            return Account(userRecordName: parts[0], roles: Set(parts.dropFirst()))
        }
        server = RecordServer(
            [container: wrapping(service)], authenticator: authenticator, configuration: configuration)
    }

    /// Sends a request.
    func send(
        _ method: HTTPRequest.Method = .post, _ target: String, _ body: HTTPBody = .empty, token: String? = nil,
        fields: [(String, String)] = [], from address: String? = "203.0.113.7"
    ) async throws -> HTTPResponse {
        var headerFields = HTTPFields()
        let credentials = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        for (name, value) in fields + credentials {
            headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), uncheckedValue: value))
        }
        return try await server.handler(
            HTTPRequest(
                method: method, target: target, headerFields: headerFields, body: body, remoteAddress: address))
    }

    /// Sends a request of Cabinet's own dialect.
    func perform<Request: ServiceRequest>(
        _ request: Request, token: String?, fields: [(String, String)] = []
    ) async throws -> Request.Response {
        let response = try await send(
            .post, CabinetRoute.request(Request.name, in: Self.container).target.description,
            HTTPBody(Data(try Request.coding.encode(request))), token: token, fields: fields)
        let body = Array(try await response.body.collect(upTo: 1 << 20))
        if response.status != .ok { throw try CabinetError.coding.decode(body) }
        return try Request.Response.coding.decode(body)
    }

    /// Saves a record, and returns it.
    @discardableResult
    func save(
        _ record: Record, in scope: DatabaseScope = .private, token: String, requestID: UUID? = nil
    ) async throws -> Record {
        var request = ModifyRecordsRequest(in: scope)
        request.recordsToSave = [record]
        request.requestID = requestID
        return try await perform(request, token: token).saveResults[0].get()
    }

    /// Sends a request of CloudKit's dialect, and returns the status and the JSON.
    func cloudKit(
        _ operation: CloudKitOperation, _ json: String, in scope: DatabaseScope = .private, token: String?
    ) async throws -> (status: Int, json: JSONNode) {
        let route = CloudKitRoute(operation, in: Self.container, scope: scope)
        let response = try await send(.post, route.target.description, HTTPBody(json), token: token)
        let body = try await response.body.collect(upTo: 1 << 20)
        return (response.status.code, try JSONText(Array(body)).root)
    }
}

extension Record {
    init(_ recordType: String, _ name: String, title: String) {
        self.init(recordType: recordType, recordID: RecordID(recordName: name))
        self["title"] = title
    }
}

/// Expects a request to fail with a code.
func expectCode(
    _ code: CabinetError.Code, _ location: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Any
) async {
    do {
        _ = try await body()
        Issue.record("The request succeeds.", sourceLocation: location)
    } catch {
        #expect((error as? CabinetError)?.code == code, "\(error)", sourceLocation: location)
    }
}
