import Cabinet
import Foundation

/// The verification of the bytes of a database's assets.
///
/// Bytes are looked at some at a time, each time in a view of its own: assets may be gigabytes, and a view that is held for so long
/// would hold up the store. That is sound because an asset never changes; one that is removed meanwhile is left out.
struct AssetVerification {
    let backend: any StorageBackend
    let database: DatabaseKey
    let issues: IssueCollector
    var counts: VerificationReport.Counts
    let progress: @Sendable (VerificationReport.Counts) -> Void

    private static let pageSize = 200
    private static let chunkSize: Int64 = 1 << 20

    mutating func run() async throws {
        var damaged: [Asset.Checksum: String] = [:]
        var place: Asset.Checksum?
        while true {
            let after = place
            let page: [StoredAsset]
            do {
                page = try await backend.read(database) { snapshot in
                    try await snapshot.abilities.assets?.assets(after: after, limit: Self.pageSize) ?? []
                }
            } catch {
                // The view has told of it.
                try StoreVerifier.rethrowInterruption(error)
                break
            }
            for asset in page {
                if let problem = try await problem(with: asset) {
                    if damaged.count < IssueCollector.limit {
                        damaged[asset.checksum] = problem
                    } else {
                        add(asset.checksum, problem)
                    }
                }
            }
            // A list in no order is told of as well, and must have an end here.
            guard page.count == Self.pageSize, let last = page.last?.checksum, after.map({ last > $0 }) != false else {
                break
            }
            place = last
        }
        if damaged.isEmpty { return }
        let checksums = Set(damaged.keys)
        let holders = try? await backend.read(database) { try await $0.holders(of: checksums) }
        for (checksum, problem) in damaged.sorted(by: { $0.key < $1.key }) {
            add(checksum, problem, holders?[checksum])
        }
    }

    private func add(_ checksum: Asset.Checksum, _ problem: String, _ holder: AssetHolder? = nil) {
        issues.add(
            StoredDamage(
                .assetDamaged,
                "\(problem) Save the original again, in any record of this database, and it takes the place of what is there.",
                recordID: holder?.recordID, fieldKey: holder?.fieldKey, checksum: checksum))
    }

    /// What is wrong with the bytes of an asset.
    private mutating func problem(with asset: StoredAsset) async throws -> String? {
        var hash = SHA256()
        var place: Int64 = 0
        repeat {
            if Task.isCancelled {
                throw CabinetError(.operationCancelled, "The task was cancelled during the verification.")
            }
            let range = place..<place + min(Self.chunkSize, asset.size - place)
            let chunk: Data?
            let isStored: Bool
            do {
                (chunk, isStored) = try await backend.read(database) { snapshot in
                    let assets = snapshot.abilities.assets
                    if let bytes = try await assets?.bytes(of: asset.checksum, in: range) { return (bytes, true) }
                    return (nil, try await assets?.assets(for: [asset.checksum]).first == asset)
                }
            } catch {
                try StoreVerifier.rethrowInterruption(error)
                return "The bytes of the asset \(asset.checksum) cannot be read. \(error.sentence)"
            }
            guard let chunk else {
                return isStored ? "The bytes of the asset \(asset.checksum) are lost." : nil
            }
            guard chunk.count == range.count else {
                return "The asset \(asset.checksum) has \(place + Int64(chunk.count)) bytes; expected \(asset.size)."
            }
            hash.update(chunk)
            place = range.upperBound
            counts.bytes += Int64(chunk.count)
            progress(counts)
        } while place < asset.size
        if hash.checksum == asset.checksum { return nil }
        return "The bytes of the asset \(asset.checksum) are not those that were stored."
    }
}
