import Cabinet
import CabinetTesting
import Foundation

/// A view's aggregates with a fault.
struct MutantAggregates: StorageAggregates {
    let fault: Fault
    let base: any StorageAggregates
    let view: any StorageSnapshot

    func count(matching plan: QueryPlan) async throws -> Int {
        if fault.detachesQueries {
            return try await Task.detached { [base] in try await base.count(matching: try plan.with { _ in }) }.value
        }
        return fault.count(try await base.count(matching: fault.plan(plan)))
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        if let compute = fault.aggregate {
            return compute(aggregate, key, try await view.records(matching: fault.plan(plan)))
        }
        return try await base.value(of: aggregate, over: key, matching: fault.plan(plan))
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        fault.valueCounts(try await base.counts(by: key, matching: fault.plan(plan)))
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        fault.explanation(try await base.explanation(of: plan))
    }
}

/// A view's assets with a fault.
struct MutantAssets: StoredAssets {
    let fault: Fault
    let base: any StoredAssets
    /// The assets of the latest state, beside a snapshot.
    let latest: (any StoredAssets)?

    /// The assets from which a read is answered.
    private func source(_ read: Fault.LiveRead) -> any StoredAssets { fault.liveRead == read ? latest ?? base : base }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        fault.foundAssets(try await source(.assets).assets(for: checksums), checksums)
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        fault.listedAssets(try await source(.assetList).assets(after: checksum, limit: limit))
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        fault.usedAssets(try await source(.assetUse).assetsInUse(among: checksums), checksums)
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        fault.assetBytes(try await source(.assetBytes).bytes(of: checksum, in: range), range)
    }
}
