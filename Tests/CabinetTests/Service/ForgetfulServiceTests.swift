import CabinetTesting
import Testing

@testable import Cabinet

/// A service whose responses lack their last result.
private struct ForgetfulService: WrappingService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let response = try await base.perform(request, for: caller)
        var shorter: any ServiceValue = response
        switch response {
        case var response as FetchRecordsRequest.Response:
            response.results = response.results.dropLast()
            shorter = response
        case var response as ModifyRecordsRequest.Response:
            response.saveResults = response.saveResults.dropLast()
            response.deleteErrors = response.deleteErrors.dropLast()
            shorter = response
        case var response as AggregateRequest.Response:
            response.groups = response.groups.dropLast()
            shorter = response
        case var response as FetchZonesRequest.Response:
            response.results = response.results.dropLast()
            shorter = response
        case var response as ModifyZonesRequest.Response:
            response.saveResults = response.saveResults.dropLast()
            shorter = response
        case var response as FetchSubscriptionsRequest.Response:
            response.results = response.results.dropLast()
            shorter = response
        default: break
        }
        return try #require(shorter as? Request.Response)
    }
}

@Suite("A service that gives too few results")
struct ForgetfulServiceTests {
    private let database: Database

    init() throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        database = try Container(identifier: "com.example.short", service: ForgetfulService(base: service))
            .privateDatabase
    }

    private func expectFault(_ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("No error was thrown.")
        } catch {
            #expect((error as? CabinetError)?.code == .internalError)
        }
    }

    @Test("is reported; no result is made up, and none is missing without an error")
    func isReported() async throws {
        let note = Record(recordType: "Notes", recordID: "note")
        await expectFault { try await database.save(note) }
        await expectFault { _ = try await database.modifyRecords(saving: [note], deleting: []) }
        await expectFault { try await database.deleteRecord(withID: "note") }
        await expectFault { _ = try await database.record(for: "note") }
        await expectFault { _ = try await database.records(for: ["note", "other"]) }
        await expectFault { _ = try await database.count(matching: Query(recordType: "Notes")) }
        await expectFault { _ = try await database.recordZones(for: [.default]) }
        await expectFault { try await database.save(RecordZone(zoneName: "Work")) }
        await expectFault { _ = try await database.subscriptions(for: ["a"]) }
    }
}
