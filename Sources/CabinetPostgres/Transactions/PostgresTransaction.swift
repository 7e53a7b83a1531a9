import Cabinet
import Foundation

/// The transaction in a write of a ``PostgresBackend``.
///
/// The write's closure runs on the connection's thread.
struct PostgresTransaction: StorageTransaction, SessionReading {
    let session: Session

    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self, referrers: self) }

    func apply(_ mutations: [StorageMutation]) async throws {
        try await session.use(isChange: true) { context in
            try await context.prepareChanges()
            try await context.apply(mutations)
        }
    }
}

extension PostgresTransaction: StorageReferrers {
    func groups(referringTo id: RecordID) async throws -> [ReferrerGroup]? {
        try await settled { try await $0.groups(referringTo: id) }
    }

    func mayBeReferredTo(_ group: ReferrerGroup) async throws -> Bool {
        try await settled { try await $0.mayBeReferredTo(group) }
    }

    func delete(_ group: ReferrerGroup, count: Int, from sequenceNumber: Int64, date: Date) async throws {
        try await session.use(isChange: true) { context in
            try await context.prepareChanges()
            try context.delete(group, count: count, from: sequenceNumber, date: date)
        }
    }
}
