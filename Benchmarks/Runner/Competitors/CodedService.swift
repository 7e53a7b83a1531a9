import Cabinet
import Foundation

/// A service that codes and decodes each request and response, as a client and a server do together.
struct CodedService: DatabaseService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let sent = try Request.coding.encode(request)
        let response = try await base.perform(try Request.coding.decode(sent), for: caller)
        return try Request.Response.coding.decode(try Request.Response.coding.encode(response))
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
