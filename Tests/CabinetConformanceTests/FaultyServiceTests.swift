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
    /// The writes of a transaction do not depend on the records that it has read.
    case forgetsRecords
    /// They do not depend on absent ones.
    case forgetsAbsences
    /// They do not depend on the records that queries did not find.
    case forgetsQueries
    /// They depend on every change of a queried type.
    case coarsensQueries
    /// The reads of a transaction do not depend on earlier ones.
    case forgetsEarlierReads
    /// Each zone of a transaction is saved by itself.
    case splitsZones
    /// The last record's contribution to a live aggregate is missing.
    case losesContributions
    /// A record that the feed reports contributes nothing to a live aggregate.
    case losesLiveRecords
    /// Deletions are not reported to live queries.
    case losesLiveDeletions
    /// The first records of a live query seem to be all.
    case hidesLaterRecords
    /// A live aggregate's state of the database is a later one than that of its value.
    case advancesAggregates
}

/// A service with a fault.
private struct FaultyService: WrappingService {
    let base: any DatabaseService
    let fault: ServiceFault

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        if fault == .forgetsEarlierReads {
            return try await base.perform(request.forgettingReads(), for: caller)
        }
        guard var modification = request as? ModifyRecordsRequest else {
            let response = try await base.perform(request, for: caller)
            return try require(fault.changing(response) as? Request.Response, "A response to the request")
        }
        if modification.reads != nil { modification.reads = fault.changing(modification.reads) }
        switch fault {
        case .ignoresCancellation:
            return try await Task { try await base.perform(request, for: caller) }.value
        case .sendsEqualNumbers:
            modification.recordsToSave = modification.recordsToSave.map(\.sendingEqualNumbers)
        default: break
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

extension ServiceFault {
    /// The reads of a transaction as a faulty service judges them.
    fileprivate func changing(_ reads: TransactionReads?) -> TransactionReads? {
        guard var reads else { return nil }
        switch self {
        case .forgetsRecords: reads.records.removeAll { $0.changeTag != nil }
        case .forgetsAbsences: reads.records.removeAll { $0.changeTag == nil }
        case .forgetsQueries: reads.queries = []
        case .coarsensQueries:
            for position in reads.queries.indices { reads.queries[position].query.filter = .constant(true) }
        case .splitsZones: return nil
        default: break
        }
        return reads
    }
}

extension ServiceFault {
    /// Returns a response as a faulty service gives it to live queries.
    fileprivate func changing(_ response: any ServiceValue) -> any ServiceValue {
        switch (self, response) {
        case (.losesContributions, var response as AggregateRequest.Response):
            response.contributions = response.contributions?.dropLast()
            return response
        case (.advancesAggregates, var response as AggregateRequest.Response):
            response.basis?.end.number += 1
            return response
        case (.losesLiveRecords, var response as FetchLiveChangesRequest.Response):
            response.records = response.records.dropLast()
            return response
        case (.losesLiveDeletions, var response as FetchLiveChangesRequest.Response):
            response.deletions = []
            return response
        case (.hidesLaterRecords, var response as QueryRecordsRequest.Response) where response.basis != nil:
            response.position = nil
            return response
        default: return response
        }
    }
}

extension ServiceRequest {
    /// The request without the earlier reads of its transaction.
    fileprivate func forgettingReads() -> Self {
        if var fetch = self as? FetchRecordsRequest, fetch.reads != nil {
            fetch.reads = TransactionReads()
            return fetch as? Self ?? self
        }
        if var query = self as? QueryRecordsRequest {
            query.reads = nil
            return query as? Self ?? self
        }
        return self
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
            (.forgetsRecords, "a transaction that has read a changed record runs again"),
            (.forgetsRecords, "two transactions do not skew each other's writes"),
            (.forgetsRecords, "a transaction that always conflicts ends"),
            (.forgetsAbsences, "a transaction depends on the absence of a record"),
            (.forgetsQueries, "a transaction depends on the results of its queries"),
            (.forgetsQueries, "a transaction depends on what a key path leads to"),
            (.coarsensQueries, "a transaction depends on the results of its queries"),
            (.forgetsEarlierReads, "the reads of a transaction are of one state"),
            (.splitsZones, "a transaction that fails changes nothing in any zone"),
            (.losesContributions, "an observed count follows its query"),
            (.losesContributions, "observed aggregates are those of the records"),
            (.losesContributions, "observed groups appear and disappear"),
            (.losesLiveRecords, "an observed count follows its query"),
            (.losesLiveDeletions, "observed aggregates are those of the records"),
            (.losesLiveDeletions, "an observed query with a limit reports its first records"),
            (.hidesLaterRecords, "an observed query with a limit reports its first records"),
            (.hidesLaterRecords, "first records follow key paths and zones"),
            (.hidesLaterRecords, "changes behind the first records are not reported"),
            (.advancesAggregates, "live results are those of their queries (seed 1, 60 commits)"),
        ])
    func isFound(_ fault: ServiceFault, _ name: String) async throws {
        let rule = try #require(ConformanceRule.all.first { $0.name == name })
        await #expect(throws: ConformanceFailure.self) {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: rule.mutantTimeLimit) {
                container in
                container.over(FaultyService(base: container.service, fault: fault))
            }
        }
    }
}
