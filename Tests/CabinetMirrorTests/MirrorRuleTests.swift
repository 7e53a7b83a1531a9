import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import Cabinet
@testable import CabinetConformance
@testable import CabinetMirror

/// The rules through a mirror of an empty server: its local store is the backend of the rule.
///
/// The private database is the mirror's; the public one, shares and users are those of the server, which is in memory. `CABINET_RULE` chooses
/// a rule or a family. The counts are those of all rules.
@Suite("The rules through a mirror", .serialized)
struct MirrorRuleTests {
    /// The outcome of a rule.
    private enum Outcome: Hashable {
        case passed
        /// The rule sends no request, because it is about a backend.
        case aboutBackend
        /// A mirror refuses what the rule needs, with an error that says so.
        case refused(Refusal)
        /// The rule is one of ``differences``.
        case different
        case failed(String)
    }

    /// The refusals of a mirror, by their messages.
    private enum Refusal: String, CaseIterable {
        case shares = "A server manages shares."
        case keys = "A mirror does not store keys of encrypted values."
        case migrations = "A mirror does not migrate."
        case schemas = "The record types and fields of a mirror are those of its server."
    }

    /// The rules that fail although nothing is refused, with the reason.
    private static let differences: [String: String] = [
        "a count by a field without references is refused": "a local schema grows",
        "a deployment reaches a running container": "a local schema grows",
        "a schema declares the fields of Users records": "a local schema grows",
        "a strict container creates its indexes of JSON": "a local schema grows",
        "a strict container creates the types of its schema": "a local schema grows",
        "a strict container keeps the unknown fields of a record": "a local schema grows",
        "a strict container refuses a store with a field of another type": "a local schema grows",
        "a strict container refuses references with another action": "a local schema grows",
        "a strict container refuses unknown types and fields": "a local schema grows",
        "a strict container removes nothing": "a local schema grows",
        "a strict container shares zones": "a local schema grows",
        "unique values give no sign of records that are not shared": "a local schema grows",
        "an encrypted type is part of the schema": "a local schema grows",
        "concurrently started strict containers agree": "a local schema grows",
        "a deployment that would lose data is refused": "schemas change in two stores, and first on the server",
        "an applied schema changes no field's type": "schemas change in two stores, and first on the server",
        "an applied schema encrypts no existing field": "schemas change in two stores, and first on the server",
        "values in use twice cannot become unique": "schemas change in two stores, and first on the server",
        "a writer's changes are seen by all, and are the writer's": "a copy has change tags of its own",
        "a zone's share has its owner and a URL": "a copy has no shares",
        "bytes belong to a database": "the public database has another store",
        "what a user may not read changes no answer (seed 1, 150 requests)": "the two worlds share a server here",
    ]

    /// The number of rules with each outcome.
    private static let counts: [Outcome: Int] = [
        .passed: 582, .aboutBackend: 124, .different: 22, .refused(.shares): 24, .refused(.keys): 10,
        .refused(.migrations): 6, .refused(.schemas): 15,
    ]

    private static func outcome(of rule: ConformanceRule) async -> Outcome {
        if rule.sendsNoRequest { return .aboutBackend }
        let (log, server) = (MirrorRuleLog(), MemoryBackend())
        do {
            _ = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(600)) {
                try MirrorRuleService.adapt($0, server, log)
            }
            return log.requests == 0 ? .aboutBackend : .passed
        } catch {
            for refusal in Refusal.allCases where log.errors.contains(where: { $0.contains(refusal.rawValue) }) {
                return .refused(refusal)
            }
            return differences[rule.name] == nil ? .failed("\(rule.name): \(error)") : .different
        }
    }

    @Test("pass, or are about what a mirror leaves to its server")
    func ruleCatalog() async {
        var counts: [Outcome: Int] = [:]
        await withTaskGroup(of: Outcome.self) { group in
            for rule in ConformanceRule.chosen where !rule.indexesEveryField {
                group.addTask { await Self.outcome(of: rule) }
            }
            for await outcome in group { counts[outcome, default: 0] += 1 }
        }
        for case .failed(let text) in counts.keys { Issue.record("\(text)") }
        if ConformanceRule.chosen.count == ConformanceRule.all.count { #expect(counts == Self.counts) }
    }

    @Test("name those that a mirror cannot keep")
    func names() {
        #expect(Set(Self.differences.keys).isSubset(of: ConformanceRule.all.map(\.name)))
    }
}

/// The requests and errors of a rule.
private final class MirrorRuleLog: Sendable {
    private let content = Mutex<(requests: Int, hasShares: Bool, errors: [String])>((0, false, []))

    var requests: Int { content.withLock { $0.requests } }
    var errors: [String] { content.withLock { $0.errors } }

    var hasShares: Bool { content.withLock { $0.hasShares } }

    func recordShare() { content.withLock { $0.hasShares = true } }
    func recordRequest() { content.withLock { $0.requests += 1 } }

    func record(_ error: any Error) {
        let text = (error as? CabinetError)?.message ?? "\(error)"
        content.withLock { $0.errors.append(text) }
    }
}

/// A mirror that counts the requests of a rule.
///
/// As soon as a zone is shared, participants see what was sent alone, and so the mirror sends and fetches with every request.
private struct MirrorRuleService: WrappingService {
    let mirror: MirrorDatabaseService
    let log: MirrorRuleLog

    var base: any DatabaseService { mirror }

    /// Puts a mirror into the store of a container, of an empty server that all containers of a rule share.
    static func adapt(_ container: Container, _ server: MemoryBackend, _ log: MirrorRuleLog) throws -> Container {
        guard let local = container.service as? LocalDatabaseService else { return container }
        let service = try LocalDatabaseService(
            backend: server, limits: local.limits, changeRetention: local.retention, now: local.now)
        // A mirror belongs to a user.
        guard let account = container.caller.account else { return container.over(service) }
        let remote = try Container(
            identifier: container.containerIdentifier, service: service, account: account,
            deviceID: container.deviceID)
        var configuration = MirrorConfiguration()
        configuration.automaticallySyncs = false
        let mirror = try MirrorDatabaseService(
            mirroring: remote, in: local.backend, configuration: configuration, limits: local.limits,
            changeRetention: local.retention, now: local.now)
        return container.over(MirrorRuleService(mirror: mirror, log: log))
    }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        log.recordRequest()
        if (request as? ModifyRecordsRequest)?.hasShares == true { log.recordShare() }
        await synchronize()
        do {
            let response = try await base.perform(request, for: caller)
            await synchronize()
            return response
        } catch {
            log.record(error)
            throw error
        }
    }

    private func synchronize() async {
        guard log.hasShares else { return }
        try? await mirror.sendChanges()
        try? await mirror.fetchChanges()
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        log.recordRequest()
        return try base.signals(of: scopes, for: caller)
    }
}
