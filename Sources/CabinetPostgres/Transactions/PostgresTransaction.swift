import Cabinet

/// The transaction in a write of a ``PostgresBackend``.
struct PostgresTransaction: StorageTransaction, SessionReading {
    let session: Session

    func apply(_ mutations: [StorageMutation]) async throws {
        try await session.use(isChange: true, blocks: !mutations.allSatisfy(\.isShort)) { context in
            try await context.prepareChanges()
            try await context.prepareZones()
            try context.apply(mutations)
        }
    }
}

extension StorageMutation {
    /// Whether the mutation only sends statements.
    fileprivate var isShort: Bool {
        switch self {
        case .insert, .update, .delete, .setEntry: true
        default: false
        }
    }
}
