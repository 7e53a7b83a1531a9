import Cabinet
import Foundation

/// The verification of the bytes of a database's assets.
///
/// Each chunk is read in a snapshot of its own: assets may be gigabytes, and a snapshot that stays open for so long
/// would burden the store. This is sound because an asset never changes. An asset that is removed during the
/// verification is skipped.
struct AssetVerification {
    let backend: any StorageBackend
    let database: DatabaseKey
    let collector: IssueCollector
    var counts: VerificationReport.Counts
    let progress: @Sendable (VerificationReport.Counts) -> Void

    private static let pageSize = 200

    mutating func run() async throws {
        var damaged: [Asset.Checksum: String] = [:]
        var position: Asset.Checksum?
        while true {
            let after = position
            let page: [StoredAsset]
            do {
                page = try await backend.read(database) { snapshot in
                    try await snapshot.abilities.assets?.assets(after: after, limit: Self.pageSize) ?? []
                }
            } catch {
                // The verification of the records has reported it.
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
            // A list without an order was reported as well, and must end here.
            guard page.count == Self.pageSize, let last = page.last?.checksum, after.map({ last > $0 }) != false else {
                break
            }
            position = last
        }
        if damaged.isEmpty { return }
        let checksums = Set(damaged.keys)
        let holders = try? await backend.read(database) { try await $0.holders(of: checksums) }
        for (checksum, problem) in damaged.sorted(by: { $0.key < $1.key }) {
            add(checksum, problem, holders?[checksum])
        }
    }

    private func add(_ checksum: Asset.Checksum, _ problem: String, _ holder: AssetHolder? = nil) {
        collector.add(
            IntegrityIssue(
                .assetDamaged,
                "\(problem) Save the original again, in any record of this database, to replace the stored bytes.",
                recordID: holder?.recordID, fieldKey: holder?.fieldKey, checksum: checksum))
    }

    /// Checks the bytes of an asset, and describes their damage.
    private mutating func problem(with asset: StoredAsset) async throws -> String? {
        var hash = SHA256()
        var offset: Int64 = 0
        repeat {
            if Task.isCancelled {
                throw CabinetError(.operationCancelled, "The task was cancelled during the verification.")
            }
            let range = offset..<offset + min(Int64(StoredAsset.partSize), asset.size - offset)
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
                return "The asset \(asset.checksum) has \(offset + Int64(chunk.count)) bytes; expected \(asset.size)."
            }
            hash.update(chunk)
            offset = range.upperBound
            counts.bytes += Int64(chunk.count)
            progress(counts)
        } while offset < asset.size
        if hash.checksum == asset.checksum { return nil }
        return "The bytes of the asset \(asset.checksum) differ from the stored ones."
    }
}
