import Cabinet
import CabinetSQLite
import Foundation
import Testing

/// Whatever several clients do, the store holds what simple dictionaries would, and every device's changes lead to it.
///
/// `make model ROUNDS=100` makes up more of it. A failure prints the seed and the few steps that it needs;
/// `CABINET_MODEL_SEED=7` runs that seed alone.
@Suite("Model")
struct ModelTests {
    private static let operationsPerSeed = 500
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_MODEL_SEED"].flatMap(UInt64.init) { return [seed] }
        let rounds = environment["CABINET_MODEL_ROUNDS"].flatMap(UInt64.init) ?? 1
        return Array(1...(2 * max(rounds, 1)))
    }()

    @Test("The store does what the model does", arguments: seeds, BackendKind.allCases)
    func agreement(seed: UInt64, on backend: BackendKind) async throws {
        var random = RandomOperations(seed: seed)
        let operations = random.operations(Self.operationsPerSeed)
        guard let failure = try await backend.failure(of: operations) else { return }
        let needed = await shrunk(Array(operations.prefix(failure.step + 1))) { candidate in
            await (try? backend.failure(of: candidate)) != nil
        }
        let last = try await backend.failure(of: needed) ?? failure
        let steps = needed.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
        Issue.record("Seed \(seed) on \(backend): \(last.message)\nIt takes these steps:\n\(steps)")
    }

    @Test(
        "The model finds faults", .timeLimit(.minutes(5)),
        arguments: [
            "tells no deletions", "tells no saves", "tells changes from the beginning", "tells changes in no order",
            "numbers deletions as if they were old", "does not tell that it has forgotten",
            "does not tell when a zone was made", "marks no zone", "tells of no zone that is gone", "invents a change",
            "forgets zones", "keeps the records of removed zones", "forgets who made a zone", "forgets new records",
            "forgets changes", "forgets deletions", "deletes only the first record of several",
            "keeps a field that was removed", "loses the parent on an update",
            "does not write the user who changed a record", "repeats sequence numbers",
        ])
    func findsFaults(of name: String) async throws {
        let mutant = try #require(Mutant.all.first { $0.name == name }, "There is no mutant that \(name).")
        var random = RandomOperations(seed: 1)
        let operations = random.operations(2000)
        let failure = try await ModelFailure.first(of: operations, on: MutantBackend(mutant.fault))
        #expect(failure != nil, "The model did not find that it \(name).")
    }

    @Test("What fails is cut down to what the failure needs", .timeLimit(.minutes(2)))
    func shrinks() async throws {
        let numbers = await shrunk(Array(0..<1000)) { $0.contains(17) && $0.contains(803) }
        #expect(numbers == [17, 803])
        let mutant = try #require(Mutant.all.first { $0.name == "loses the parent on an update" })
        var random = RandomOperations(seed: 1)
        let operations = random.operations(100)
        let fails: @Sendable ([ModelOperation]) async -> Bool = {
            await (try? ModelFailure.first(of: $0, on: MutantBackend(mutant.fault))) != nil
        }
        let needed = await shrunk(operations, fails)
        // A parent, a child, and an update of the child.
        #expect(needed.count <= 4, "\(needed.map(\.description).joined(separator: "\n"))")
    }
}

/// Where a store and its model came apart.
struct ModelFailure: Sendable {
    /// The number of the operation, from 0.
    let step: Int
    let message: String

    /// Does some things in a new store, and returns the first failure.
    static func first(of operations: [ModelOperation], on backend: any StorageBackend) async throws -> ModelFailure? {
        var run = try ModelRun(backend)
        var failure: ModelFailure?
        for (step, operation) in operations.enumerated() where failure == nil {
            do {
                try await run.step(operation)
            } catch {
                failure = ModelFailure(step: step, message: "\(error)")
            }
        }
        if failure == nil {
            do {
                try await run.finish()
            } catch {
                failure = ModelFailure(step: operations.count - 1, message: "In the end: \(error)")
            }
        }
        await backend.close()
        return failure
    }
}

extension BackendKind {
    fileprivate func failure(of operations: [ModelOperation]) async throws -> ModelFailure? {
        switch self {
        case .memory: return try await ModelFailure.first(of: operations, on: MemoryBackend())
        case .sqlite:
            var failure: ModelFailure?
            try await TemporaryDirectory.with { directory in
                failure = try await ModelFailure.first(of: operations, on: SQLiteBackend(directory: directory))
            }
            return failure
        }
    }
}
