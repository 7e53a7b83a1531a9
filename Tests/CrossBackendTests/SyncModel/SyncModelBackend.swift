import Cabinet
import CabinetTesting

/// A device's connection to the store, on which something may happen before and after each request.
final class SyncModelBackend: StorageBackend {
    private let base: any StorageBackend
    private let faults: FaultInjectingBackend
    private unowned let model: SyncModel
    private let index: Int
    private let life: Int

    init(base: any StorageBackend, model: SyncModel, index: Int, life: Int) {
        self.base = base
        self.model = model
        self.index = index
        self.life = life
        faults = FaultInjectingBackend(base)
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await disturbed(isRead: true) { try await faults.read(database, body) }
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await disturbed(isRead: false) {
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await faults.write(database, body))
            } catch {
                result = .failure(error)
            }
            try await model.recordHistory(by: index)
            return try result.get()
        }
    }

    private func disturbed<Result: Sendable>(
        isRead: Bool, _ request: () async throws -> Result
    ) async throws -> Result {
        await model.moment(index, life, isFree: true)
        try await checkAlive()
        if let fault = await model.requestFault(isRead: isRead) { faults.inject(fault) }
        let result = try await request()
        await model.moment(index, life, isFree: true)
        try await checkAlive()
        return result
    }

    private func checkAlive() async throws {
        guard await model.isAlive(index, life) else { throw CabinetError(.networkFailure, "The device was killed.") }
    }

    var abilities: StorageAbilities { base.abilities }

    func close() async {}
}
