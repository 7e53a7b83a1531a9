import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Synchronization

/// A device's connection to the server, which loses requests and answers, and repeats requests.
final class SimulatedLink: WrappingService {
    let base: any DatabaseService
    private unowned let simulation: MirrorSimulation
    private let index: Int
    private let life: Int

    init(base: any DatabaseService, simulation: MirrorSimulation, index: Int, life: Int) {
        (self.base, self.simulation, self.index, self.life) = (base, simulation, index, life)
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        await simulation.moment(index, life)
        try await checkAlive()
        let fate = await simulation.fate(index)
        if fate == .lost {
            await simulation.note("  a request is lost: \(Request.name)")
            throw CabinetError(.networkFailure, "The request was lost.")
        }
        if fate == .repeated, (request as? FetchDatabaseChangesRequest)?.since != nil {
            await simulation.note("  a token expires")
            throw CabinetError(.changeTokenExpired, "The token has expired.")
        }
        let request = inPages(request)
        await simulation.checkEffects(in: request, of: index)
        let hadZone = await simulation.hasZone(toDeleteBy: request)
        if fate == .killed {
            let isCommitted = await simulation.chance(50)
            await simulation.note("  the server is killed \(isCommitted ? "after" : "before") its transaction")
            simulation.server.kill(atNextWrite: isCommitted)
        }
        let result: Result<Request.Response, any Error>
        do {
            result = .success(try await base.perform(request, for: caller))
        } catch {
            result = .failure(error)
        }
        if fate == .killed { try simulation.server.restart() }
        if hadZone, await !simulation.hasZone(toDeleteBy: request) { await simulation.deletedZone(by: index) }
        // A program's own request to the server has no ID: it is not one that the mirror sends again.
        let isChange = (request as? ModifyRecordsRequest)?.requestID != nil
        if !isChange, let request = request as? ModifyRecordsRequest { simulation.saveOrder.addDirect(request) }
        if isChange { await simulation.lostAnswer(index, true) }
        if Request.effect != .none { await simulation.recordHistory() }
        // A server does not remember a request that it has refused, which has changed nothing.
        // iCloud would delete what was edited since, because it compares no versions: its client repeats no deletion.
        let deletions = simulation.kind == .iCloud ? (request as? ModifyRecordsRequest)?.recordIDsToDelete ?? [] : []
        if fate == .repeated, deletions.isEmpty, let response = try? result.get() as? ModifyRecordsRequest.Response,
            response.hasSuccess
        {
            await simulation.duplicate { [base] in _ = try? await base.perform(request, for: caller) }
        }
        await simulation.moment(index, life)
        try await checkAlive()
        if fate == .answerLost || fate == .killed {
            await simulation.note("  an answer is lost: \(Request.name)")
            throw CabinetError(.serverResponseLost, "The answer was lost.")
        }
        if isChange { await simulation.lostAnswer(index, false) }
        return try result.get()
    }

    /// Returns a request for changed zones with the pages of the simulation, after each of which a list can be interrupted.
    private func inPages<Request: ServiceRequest>(_ request: Request) -> Request {
        guard var changes = request as? FetchDatabaseChangesRequest else { return request }
        changes.resultsLimit = simulation.constants.pageSize
        return changes as? Request ?? request
    }

    private func checkAlive() async throws {
        guard await simulation.isAlive(index, life) else {
            throw CabinetError(.networkFailure, "The device was killed.")
        }
    }
}

/// The resolver of a device, which reports what it drops.
struct SimulatedResolver {
    let index: Int
    unowned let simulation: MirrorSimulation

    var resolver: ConflictResolver {
        let (preference, dropped, order, fault) = (
            simulation.constants.preference, simulation.droppedTexts, simulation.saveOrder, simulation.fault
        )
        return ConflictResolver { [index] conflict in
            let resolver = ConflictResolver.fieldwise { field in
                let (client, server) = (field.clientValue as? String, field.serverValue as? String)
                if let client, let server, client.hasPrefix("\(index)."), server.hasPrefix("\(index)."),
                    fault != .noAncestor, !order.mayOverlap(client, server),
                    !dropped.isOfDeletedZone(server, conflict.serverRecord.recordID.zoneID, of: index)
                {
                    dropped.report(
                        "Device \(index) has a conflict with itself: '\(client.prefix(12))' and '\(server.prefix(12))'.",
                        conflict.serverRecord.recordID)
                }
                if preference == .client { return field.clientValue }
                // Without the ancestor, a field that only this client has changed looks like a conflict.
                let ancestor = conflict.ancestorRecord?[field.key] as? String
                if let client, conflict.ancestorRecord == nil || ancestor != server { dropped.add(client) }
                return field.serverValue
            }
            let ancestor = fault == .noAncestor ? nil : conflict.ancestorRecord
            return try resolver.record(
                for: RecordConflict(
                    clientRecord: conflict.clientRecord, serverRecord: conflict.serverRecord, ancestorRecord: ancestor))
        }
    }
}

/// The texts that resolvers have dropped, and a mistake that one has noticed.
final class DroppedTexts: Sendable {
    private let content = Mutex<(texts: Set<String>, mistakes: [RecordID: String])>(([], [:]))
    /// The last edits before devices have deleted a zone.
    private let deletions = Mutex<[RecordZone.ID: [Int: Int]]>([:])

    /// Records that a device's program has deleted a zone.
    func deleteZone(_ zoneID: RecordZone.ID, of index: Int, after edit: Int) {
        deletions.withLock { $0[zoneID, default: [:]][index] = edit }
    }

    /// Whether a device's program has deleted a zone after it saved a text there.
    ///
    /// If the token has expired, the mirror cannot distinguish the zone from one of another client, and keeps its records.
    func isOfDeletedZone(_ text: String, _ zoneID: RecordZone.ID, of index: Int) -> Bool {
        let number = Int(text.dropFirst("\(index).".count).prefix(while: \.isNumber)) ?? 0
        return number < deletions.withLock { $0[zoneID]?[index] ?? 0 }
    }

    func add(_ text: String) { content.withLock { _ = $0.texts.insert(text) } }
    func report(_ mistake: String, _ id: RecordID) { content.withLock { $0.mistakes[id] = mistake } }
    func contains(_ text: String) -> Bool { content.withLock { $0.texts.contains(text) } }
    var mistakes: [RecordID: String] { content.withLock { $0.mistakes } }
}

/// The order of the programs' saves, which tells a later edit from one at the same time.
///
/// A public record that is not in the mirror is saved on the server. Until the answer, an edit can be based on an older version.
final class SaveOrder: Sendable {
    private struct Save {
        let begin: Int
        var end: Int?
        var isDirect = false
    }

    private let saves = Mutex<(count: Int, byText: [String: Save])>((0, [:]))

    func begin(_ text: String) {
        saves.withLock { saves in
            saves.count += 1
            saves.byText[text] = Save(begin: saves.count)
        }
    }

    func end(_ text: String) {
        saves.withLock { saves in
            saves.count += 1
            saves.byText[text]?.end = saves.count
        }
    }

    /// Adds the saves that are under way in a program's own request to the server.
    func addDirect(_ request: ModifyRecordsRequest) {
        saves.withLock { saves in
            for record in request.recordsToSave {
                for case let text as String in record.changedKeys().map({ record[$0] }) {
                    saves.byText[text]?.isDirect = true
                }
            }
        }
    }

    /// Whether an edit may be based on a version before another edit, which the program has saved on the server.
    func mayOverlap(_ text: String, _ other: String) -> Bool {
        saves.withLock { saves in
            guard let save = saves.byText[text], let other = saves.byText[other], other.isDirect else { return false }
            return other.end ?? .max > save.begin
        }
    }
}

extension ModifyRecordsRequest.Response {
    /// Whether the request has changed something.
    fileprivate var hasSuccess: Bool {
        deleteErrors.contains { $0 == nil } || saveResults.contains { if case .success = $0 { true } else { false } }
    }
}
