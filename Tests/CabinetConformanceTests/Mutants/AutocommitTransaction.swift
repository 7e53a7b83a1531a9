import Cabinet
import Foundation

@testable import CabinetConformance

/// A transaction that runs each of its reads and mutations as a separate transaction.
struct AutocommitTransaction: StorageTransaction {
    let backend: MemoryBackend
    let database: DatabaseKey

    fileprivate func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        // Other tasks get their turn, as they do if a call takes time.
        for _ in 0..<3 { await Task.yield() }
        return try await backend.read(database, body)
    }

    func load(_ keys: StorageKeys) async throws -> StorageValues { try await read { try await $0.load(keys) } }

    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        try await read { try await $0.entries(in: range, limit: limit) }
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        try await read { try await $0.records(matching: plan) }
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try await read { try await $0.references(to: ids) }
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        try await read { try await $0.changes(in: zoneID, after: number, limit: limit, of: content) }
    }

    var abilities: SnapshotAbilities { SnapshotAbilities() }

    func apply(_ mutations: [StorageMutation]) async throws {
        for mutation in mutations {
            for _ in 0..<3 { await Task.yield() }
            try await backend.write(database) { try await $0.apply([mutation]) }
        }
    }
}

/// The assets of the latest state, which the transaction does not have as an ability.
extension AutocommitTransaction: StoredAssets {
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await read { try await $0.storedAssets.assets(for: checksums) }
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await read { try await $0.storedAssets.assets(after: checksum, limit: limit) }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await read { try await $0.storedAssets.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await read { try await $0.storedAssets.bytes(of: checksum, in: range) }
    }
}
