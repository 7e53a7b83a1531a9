import Foundation
import Testing

@testable import Cabinet
@testable import CabinetConformance

/// A service that reports success for records of an atomic batch that failed.
private struct SwallowingService: DatabaseService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        let response = try await base.perform(request, for: caller)
        guard let request = request as? ModifyRecordsRequest, request.isAtomic,
            var swallowed = response as? ModifyRecordsRequest.Response
        else { return response }
        for (position, record) in request.recordsToSave.enumerated() {
            if case .failure = swallowed.saveResults[position] { swallowed.saveResults[position] = .success(record) }
        }
        swallowed.deleteErrors = swallowed.deleteErrors.map { _ in nil }
        return swallowed as? Request.Response ?? response
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

@Suite("A service that swallows failures")
struct SwallowingServiceTests {
    @Test(
        "is found by the rules about atomic batches",
        arguments: [
            "an atomic batch that fails throws", "one failure changes nothing in an atomic batch",
            "a failure stays in its zone",
        ])
    func isFound(_ name: String) async throws {
        let rule = try #require(ConformanceRule.all.first { $0.name == name })
        await #expect(throws: ConformanceFailure.self) {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(60)) {
                container in
                try container.over(SwallowingService(base: container.service))
            }
        }
    }
}
