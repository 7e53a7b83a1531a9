package import Cabinet
package import Foundation

/// A service that changes requests or responses, and passes on to another one what it does not change, for tests.
package protocol WrappingService: DatabaseService {
    /// The other service.
    var base: any DatabaseService { get }
}

extension WrappingService {
    package func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        try await base.send(bytes, to: upload, at: offset, for: caller)
    }

    package func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }

    package func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        try base.signals(of: scopes, for: caller)
    }

    package func close() async { await base.close() }
}
