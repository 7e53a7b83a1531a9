import CabinetTesting
import Synchronization

@testable import Cabinet

/// A fault of a mirror, which the simulation must find.
enum MirrorFault: String, CaseIterable, Sendable {
    case journalApart = "writes what is pending outside of the transaction"
    case noAncestor = "resolves conflicts without the ancestor"
    case droppedChange = "drops an edit that was made while its record was on the way"
    case tokenFirst = "stores a token before its page"
    case forgottenRequest = "does not remember the request that it has sent"
    case sentEffect = "sends what a deletion has done to other records"
}

/// The store of a device, whose process may be killed before and after each transaction.
final class SimulatedStore: WrappingBackend {
    let base: any StorageBackend
    private unowned let simulation: MirrorSimulation
    private let index: Int
    private let life: Int

    init(base: any StorageBackend, simulation: MirrorSimulation, index: Int, life: Int) {
        (self.base, self.simulation, self.index, self.life) = (base, simulation, index, life)
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await checkAlive()
        return try await base.read(database, body)
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        await simulation.moment(index, life)
        try await checkAlive()
        let result = try await faultyWrite(database, body)
        await simulation.moment(index, life)
        try await checkAlive()
        return result
    }

    private func faultyWrite<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        guard let fault = simulation.fault else { return try await base.write(database, body) }
        let apart = Apart()
        if fault == .tokenFirst {
            // The first attempt only finds the token.
            _ = try? await base.write(database) { transaction in
                _ = try await body(FaultyTransaction(base: transaction, fault: nil, apart: apart))
                throw CancellationError()
            }
            let token = apart.take { $0.text.hasPrefix("mirror/zone/") || $0.text == "mirror/queries" }
            if !token.isEmpty {
                try await base.write(database) { try await $0.apply(token) }
                await simulation.moment(index, life)
                try await checkAlive()
            }
            return try await base.write(database, body)
        }
        let result = try await base.write(database) { transaction in
            apart.clear()
            return try await body(FaultyTransaction(base: transaction, fault: fault, apart: apart))
        }
        if fault == .journalApart {
            await simulation.moment(index, life)
            try await checkAlive()
            let journal = apart.take { _ in true }
            if !journal.isEmpty { try await base.write(database) { try await $0.apply(journal) } }
        }
        return result
    }

    private func checkAlive() async throws {
        guard await simulation.isAlive(index, life) else {
            throw CabinetError(.networkFailure, "The device was killed.")
        }
    }

    func close() async {}
}

/// Mutations that a faulty store does not apply in their transaction.
private final class Apart: Sendable {
    private let mutations = Mutex<[StorageMutation]>([])

    func add(_ mutation: StorageMutation) { mutations.withLock { $0.append(mutation) } }
    func clear() { mutations.withLock { $0 = [] } }

    func take(_ isTaken: (StorageKey) -> Bool) -> [StorageMutation] {
        mutations.withLock { mutations in
            defer { mutations = [] }
            return mutations.filter { if case .setEntry(let key, _) = $0 { isTaken(key) } else { false } }
        }
    }
}

/// A transaction that leaves out a part of its mutations.
private struct FaultyTransaction: WrappingTransaction {
    let base: any StorageTransaction
    let fault: MirrorFault?
    let apart: Apart

    func apply(_ mutations: [StorageMutation]) async throws {
        let endsRequest = mutations.contains { mutation in
            if case .setEntry(let key, nil) = mutation { key.text == "mirror/batch" } else { false }
        }
        var applied: [StorageMutation] = []
        for mutation in mutations {
            guard case .setEntry(let key, let text) = mutation else {
                applied.append(mutation)
                continue
            }
            switch fault {
            case nil: apart.add(mutation)
            case .journalApart where key.text.hasPrefix("mirror/change/") || key.text == "mirror/counts":
                apart.add(mutation)
            case .droppedChange where key.text.hasPrefix("mirror/change/") && endsRequest:
                applied.append(.setEntry(key, nil))
            case .forgottenRequest where key.text == "mirror/batch" && text != nil: break
            case .sentEffect where key.text.hasPrefix("mirror/change/"):
                var change = try text.map { try PendingChange(StorageEntry(key: key, text: $0)) }
                change?.effect = nil
                applied.append(.setEntry(key, try change?.text))
            default: applied.append(mutation)
            }
        }
        try await base.apply(applied)
    }
}
