import Cabinet
import CabinetTesting

/// A device's connection to the store, on which something may happen before and after each request.
final class CloudModelBackend: StorageBackend {
    private let base: any StorageBackend
    private let faults: FaultInjectingBackend
    private unowned let model: CloudSyncModel
    private let index: Int

    init(base: any StorageBackend, model: CloudSyncModel, index: Int) {
        self.base = base
        self.model = model
        self.index = index
        faults = FaultInjectingBackend(base)
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await disturbed { try await faults.read(database, body) }
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await disturbed {
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await faults.write(database, body))
            } catch {
                result = .failure(error)
            }
            try await model.recordHistory()
            return try result.get()
        }
    }

    private func disturbed<Result: Sendable>(_ request: () async throws -> Result) async throws -> Result {
        await model.moment(index)
        if let fault = await model.requestFault() { faults.inject(fault) }
        let result = try await request()
        await model.moment(index)
        return result
    }

    var abilities: StorageAbilities { base.abilities }

    func close() async {}
}
