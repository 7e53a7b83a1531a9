import Cabinet
import CabinetTesting
import Foundation
import Synchronization

/// A backend whose transactions refuse every read after the first applied mutation, as a store behind one round trip would.
struct ReadingFirstBackend: WrappingBackend {
    let base: any StorageBackend

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database) { try await body(ReadingFirstTransaction(base: $0, writes: Writes())) }
    }
}

/// Whether a transaction has applied a mutation.
private final class Writes: Sendable {
    private let hasBegun = Atomic(false)

    func begin() { hasBegun.store(true, ordering: .relaxed) }

    func check() throws {
        if !hasBegun.load(ordering: .relaxed) { return }
        throw CabinetError(.internalError, "The transaction reads after it has applied mutations.")
    }
}

private struct ReadingFirstTransaction: StorageTransaction {
    let base: any StorageTransaction
    let writes: Writes

    func load(_ keys: StorageKeys) async throws -> StorageValues {
        try writes.check()
        return try await base.load(keys)
    }

    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        try writes.check()
        return try await base.entries(in: range, limit: limit)
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        try writes.check()
        return try await base.records(matching: plan)
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try writes.check()
        return try await base.references(to: ids)
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        try writes.check()
        return try await base.changes(in: zoneID, after: number, limit: limit, of: content)
    }

    var abilities: SnapshotAbilities {
        SnapshotAbilities(assets: base.abilities.assets.map { ReadingFirstAssets(base: $0, writes: writes) })
    }

    func apply(_ mutations: [StorageMutation]) async throws {
        if !mutations.isEmpty { writes.begin() }
        try await base.apply(mutations)
    }
}

private struct ReadingFirstAssets: StoredAssets {
    let base: any StoredAssets
    let writes: Writes

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try writes.check()
        return try await base.assets(for: checksums)
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try writes.check()
        return try await base.assets(after: checksum, limit: limit)
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try writes.check()
        return try await base.assetsInUse(among: checksums)
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try writes.check()
        return try await base.bytes(of: checksum, in: range)
    }
}
