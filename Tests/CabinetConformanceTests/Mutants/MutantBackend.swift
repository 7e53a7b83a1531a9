import Cabinet

/// A memory backend with a fault.
struct MutantBackend: StorageBackend {
    let fault: Fault
    let base: MemoryBackend
    let uploads = MutantUploads()
    let memory: MutantMemory

    /// - Parameters:
    ///   - fault: The fault.
    ///   - base: The backend that stores the records. The default is a new one.
    ///   - memory: The state of the fault.
    init(_ fault: Fault, base: MemoryBackend = MemoryBackend(), memory: MutantMemory = MutantMemory()) {
        self.fault = fault
        self.base = base
        self.memory = memory
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        let database = fault.database(database)
        if fault.isolation == .liveReads {
            return try await body(view(AutocommitTransaction(backend: base, database: database), isTransaction: false))
        }
        let open = memory.withLock { state in
            state.openSnapshots += 1
            return state.openSnapshots
        }
        var isLeftOpen = fault.leavesFailedSnapshotsOpen
        defer { if !isLeftOpen { memory.withLock { $0.openSnapshots -= 1 } } }
        if open > fault.openSnapshots { throw CabinetError(.zoneBusy, "Too many snapshots are open.") }
        let result = try await base.read(database) { try await body(view($0, isTransaction: false, of: database)) }
        isLeftOpen = false
        return result
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let database = fault.database(database)
        switch fault.isolation {
        case .autocommit:
            return try await body(view(AutocommitTransaction(backend: base, database: database), isTransaction: true))
        case .noRollback:
            return try await base.write(database) { transaction -> Swift.Result<Result, any Error> in
                do {
                    return .success(try await body(view(transaction, isTransaction: true)))
                } catch {
                    return .failure(error)
                }
            }.get()
        case .snapshots:
            return try await SnapshotTransaction.write(base, database) {
                try await body(view($0, isTransaction: true))
            }
        case .optimistic(let overlooked):
            return try await OptimisticTransaction.write(base, database, overlooking: overlooked) {
                try await body(view($0, isTransaction: true))
            }
        case .parts:
            return try await OptimisticTransaction.write(base, database, partSize: 500) {
                try await body(view($0, isTransaction: true))
            }
        case .full, .liveReads, .neverCloses:
            let result = try await base.write(database) { transaction in
                do {
                    let result = try await body(view(transaction, isTransaction: true))
                    memory.end(isUndone: false)
                    return result
                } catch {
                    memory.end(isUndone: true)
                    throw error
                }
            }
            if fault.throwsAfterCommit { try Task.checkCancellation() }
            return result
        }
    }

    private func view(_ view: any StorageSnapshot, isTransaction: Bool, of database: DatabaseKey? = nil) -> MutantView {
        MutantView(
            fault: fault, base: view, isTransaction: isTransaction, memory: memory,
            latest: database.map { AutocommitTransaction(backend: base, database: $0) })
    }

    var abilities: StorageAbilities {
        StorageAbilities(
            signals: MutantSignals(fault: fault, base: base),
            databases: MutantListing(fault: fault, base: base),
            assets: MutantAssetStorage(fault: fault, base: base, uploads: uploads),
            maintenance: MutantMaintenance(fault: fault, base: base))
    }

    func close() async {
        memory.withLock { $0.isClosed = true }
        if fault.isolation != .neverCloses { await base.close() }
    }
}

private struct MutantSignals: ChangeSignals {
    let fault: Fault
    let base: MemoryBackend

    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        guard let signals = base.abilities.signals else { return AsyncStream { $0.finish() } }
        return fault.signals(signals.changeSignals(of: fault.database(database)))
    }
}

private struct MutantListing: DatabaseListing {
    let fault: Fault
    let base: MemoryBackend

    func databases() async throws -> [DatabaseKey] { fault.databases(try await base.databases()) }
}
