import CabinetTesting
import Testing

@testable import Cabinet
@testable import CabinetConformance

/// A fault of the core, which no backend can have.
enum ServiceFault {
    /// Success is reported for records of an atomic batch that failed.
    case swallowsFailures
    /// A request goes on when its task is cancelled.
    case ignoresCancellation
    /// A field that was set to the fetched number in another type is sent.
    case sendsEqualNumbers
}

/// A service with a fault.
private struct FaultyService: WrappingService {
    let base: any DatabaseService
    let fault: ServiceFault

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        guard var modification = request as? ModifyRecordsRequest else {
            return try await base.perform(request, for: caller)
        }
        switch fault {
        case .swallowsFailures: break
        case .ignoresCancellation:
            return try await Task { try await base.perform(request, for: caller) }.value
        case .sendsEqualNumbers:
            modification.recordsToSave = modification.recordsToSave.map(\.sendingEqualNumbers)
        }
        var response = try await base.perform(modification, for: caller)
        if fault == .swallowsFailures, modification.isAtomic {
            for (position, record) in modification.recordsToSave.enumerated() {
                if case .failure = response.saveResults[position] { response.saveResults[position] = .success(record) }
            }
            response.deleteErrors = response.deleteErrors.map { _ in nil }
        }
        return try require(response as? Request.Response, "A response to the request")
    }
}

extension Record {
    /// The record as if the fields whose type has changed had not been fetched.
    fileprivate var sendingEqualNumbers: Record {
        guard var fetched else { return self }
        for (key, value) in zip(fields.names.names, fields.values) {
            if let value, fetched.fields[key].map({ $0.fieldType != value.fieldType }) == true {
                fetched.fields[key] = nil
            }
        }
        return Record(header: header, fields: fields, fetched: fetched)
    }
}

@Suite("Faults of the core")
struct FaultyServiceTests {
    @Test(
        "The rules find them",
        arguments: [
            (ServiceFault.swallowsFailures, "an atomic batch that fails throws"),
            (.swallowsFailures, "one failure changes nothing in an atomic batch"),
            (.swallowsFailures, "a failure stays in its zone"),
            (.ignoresCancellation, "a cancelled task's request is refused"),
            (.ignoresCancellation, "a cascade that is cancelled reads and changes no more"),
            (.sendsEqualNumbers, "a number that equals the fetched one is not sent"),
        ])
    func isFound(_ fault: ServiceFault, _ name: String) async throws {
        let rule = try #require(ConformanceRule.all.first { $0.name == name })
        await #expect(throws: ConformanceFailure.self) {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(60)) {
                container in
                try container.over(FaultyService(base: container.service, fault: fault))
            }
        }
    }
}
