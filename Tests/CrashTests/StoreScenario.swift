import Cabinet
import CabinetSQLite
import CabinetTools
import Foundation
import StorageTestSupport
import Synchronization

/// A program that saves on SQLite, and goes on after a failure.
///
/// The store must have the content of exactly the steps that were acknowledged, and possibly of those that failed.
struct StoreScenario: CrashScenario {
    let name = "SQLite"
    let program = "SavingProcess"
    /// The contents after the steps of a set, by their numbers.
    private let contents = ExpectedContents()

    func arguments(in folder: URL) -> [String] { [folder.appendingPathComponent("store").path, "crash", folder.path] }

    func prepare(_ folder: URL) {}

    func losses(after run: CrashRun, in folder: URL) async throws -> [String] {
        let steps = CrashStep.all(in: folder).map(\.name)
        let acknowledged = Set(run.output.filter { $0.hasPrefix("ok ") }.map { String($0.dropFirst(3)) })
        let failed = run.output.filter { $0.hasPrefix("failed ") }.map { String($0.dropFirst(7)) }
        var possible = Set(failed)
        let last = steps.lastIndex { acknowledged.contains($0) || failed.contains($0) } ?? -1
        if run.status == nil, last + 1 < steps.count { possible.insert(steps[last + 1]) }
        let optional = steps.indices.filter { possible.contains(steps[$0]) }
        let sure = steps.indices.filter { acknowledged.contains(steps[$0]) }
        if optional.count > 5 { return ["\(optional.count) steps failed."] }

        var losses: [String] = []
        let store = folder.appendingPathComponent("store")
        let found = try await Self.content(of: store)
        var candidates: [DatabaseContent] = []
        for choice in 0..<(1 << optional.count) {
            let chosen = optional.indices.filter { choice & (1 << $0) != 0 }.map { optional[$0] }
            candidates += try await contents.content(of: (sure + chosen).sorted(), in: folder).map { [$0] } ?? []
        }
        if !candidates.contains(found) {
            let expected = candidates.map(\.description).joined(separator: "\n--- or\n")
            losses.append("The store has\n\(found)\n--- expected\n\(expected)")
        }
        if acknowledged.contains("backup") {
            let copy = try await Self.content(of: folder.appendingPathComponent("backup"))
            if copy != found { losses.append("The backup has\n\(copy)") }
        }
        return losses
    }

    /// Returns the content of a store that verifies.
    ///
    /// - Parameter saves: Whether the store then takes another record.
    static func content(of store: URL, saving saves: Bool = true) async throws -> DatabaseContent {
        let backend = SQLiteBackend(directory: store)
        let container = try Container(identifier: "org.cabinet.crash", backend: backend)
        do {
            let content = try await DatabaseContent(container)
            let report = try await container.verify()
            guard report.isClean else { throw Damage(description: "\(report)") }
            if saves { try await container.privateDatabase.save(Record(recordType: "Items")) }
            await container.close()
            return content
        } catch {
            await container.close()
            throw error
        }
    }

    private struct Damage: Error, CustomStringConvertible {
        let description: String
    }
}

/// The contents that steps lead to: those of the reference backend after them.
private final class ExpectedContents: Sendable {
    private let known = Mutex<[[Int]: DatabaseContent?]>([:])

    /// Returns the content after some steps; `nil` if one of them fails there.
    func content(of steps: [Int], in folder: URL) async throws -> DatabaseContent? {
        if let content = known.withLock({ $0[steps] }) { return content }
        let container = try Container(identifier: "org.cabinet.crash", backend: MemoryBackend())
        var content: DatabaseContent?
        do {
            let all = CrashStep.all(in: folder)
            for step in steps { try await all[step].perform(container.privateDatabase) }
            content = try await DatabaseContent(container)
        } catch let error as CabinetError {
            _ = error
        }
        known.withLock { [content] in $0[steps] = content }
        return content
    }
}
