import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetConformance
@testable import CabinetWire

/// The rules through a client of CloudKit Web Services, its JSON, and a server.
///
/// The article "CloudKit Web Services" has the numbers.
@Suite("The rules through CloudKit Web Services")
struct CloudKitRuleTests {
    /// The rules that the dialect says otherwise, without a refusal.
    private static let differences: [String: String] = [
        "dates keep every bit": milliseconds,
        "lists keep order and repetitions": milliseconds,
        "a save without a change makes a new change tag": milliseconds,
        "dates are the server's": milliseconds,
        "a deleted record's ID can be used again": milliseconds,
        "dates compare by instant": milliseconds,
        "records are found by their dates": milliseconds,
        "a deleted record is unknown, except to allKeys": forced,
        "a strict container keeps the unknown fields of a record": forced,
        "no call changes another user's private records": forced,
        "a cursor of another database is refused": bound,
        "a user is found by the name of the user's record": listed,
        "a conflict with the user's own save says so": reasons,
        "ciphertexts are stored byte by byte": untyped,
        "an encrypted field holds no other values": untyped,
    ]
    private static let reasons = "the reasons of conflicts are those of the dialect"
    private static let listed = "a server finds the users of its list, and the client's own"
    private static let untyped = "all encrypted values are ENCRYPTED_BYTES"
    private static let milliseconds = "dates have whole milliseconds"
    private static let forced = "a forced save has no change tag, so that it creates a record that was deleted"
    private static let bound = "a continuation marker is that of one user, also in the public database"

    /// The number of rules that meet a refusal, by what CloudKit Web Services lacks.
    private static let refusals = [
        "cannot say a filter or an order": 60,
        "has no request for 'aggregate'": 85,
        "has no request for 'requestShareAccess'": 3,
        "has no request for 'modifySchema'": 46,
        "has no request for 'changeSchema'": 4,
        "has no request for 'fetchSchema'": 16,
        "has no request for 'fetchMigrations'": 3,
        "has no request for 'explainQuery'": 1,
        "has no request for 'fetchNotifications'": 25,
        "has no live queries": 32,
        "has no keys of zones": 10,
        "has no transactions": 15,
        "has no delete rule 'nullify'": 26,
        "has at most 200 records in an atomic batch": 13,
        "has atomic batches in zones that the user created alone": 8,
        "has one subscription for the same changes of a record type": 1,
        "recognizes no repeated request": 4,
        "returns no token for the first fetch of a zone": 4,
    ]

    @Test("pass, or meet a refusal that names what is missing")
    func rules() async throws {
        let rules = ConformanceRule.chosen.filter { !$0.touchesBackend }
        var (passed, refused, failed): (Int, [String: Int], [String: String]) = (0, [:], [:])
        await withTaskGroup { group in
            for rule in rules { group.addTask { (rule.name, await Self.outcome(of: rule)) } }
            for await (name, outcome) in group {
                switch outcome {
                case .passed: passed += 1
                case .refused(let part): refused[part, default: 0] += 1
                case .failed(let text): failed[name] = text
                case .withoutContainer: break
                }
            }
        }
        for (name, text) in failed where Self.differences[name] == nil { Issue.record("\(text)\n\(name)") }
        guard rules.count > 500 else { return }
        #expect(Set(failed.keys) == Set(Self.differences.keys))
        #expect(passed == 285)
        #expect(refused == Self.refusals)
    }

    private enum Outcome {
        case passed
        case refused(String)
        case failed(String)
        case withoutContainer
    }

    private static func outcome(of rule: ConformanceRule) async -> Outcome {
        let parts = Mutex<[String]>([])
        let hasContainer = Atomic(false)
        do {
            let applies = try await rule.runIfApplicable(on: .inMemory { MemoryBackend() }, timeLimit: .seconds(600)) {
                container in
                hasContainer.store(true, ordering: .relaxed)
                return container.over(
                    CloudKitLoopback(base: container.service) { message in
                        parts.withLock { $0.append(Self.part(message)) }
                    })
            }
            return applies && hasContainer.load(ordering: .relaxed) ? .passed : .withoutContainer
        } catch {
            return parts.withLock { $0.min() }.map(Outcome.refused) ?? .failed("\(error)")
        }
    }

    /// Returns what a message says that CloudKit Web Services lacks.
    private static func part(_ message: String) -> String {
        let part = message.components(separatedBy: "CloudKit Web Services ").last ?? ""
        if part.hasPrefix("cannot say") { return "cannot say a filter or an order" }
        return String(part.prefix { !",.;".contains($0) })
    }
}
