import Cabinet
import Foundation

/// Copies the bytes of the server's assets into the local store, and removes those that were read least recently.
///
/// The local store itself is the cache: it keeps bytes under their checksums, for the records that have them, and drops them with the last
/// of these. So a read needs no second look-up, and what was saved here needs no copy.
actor MirrorAssetCache {
    private let store: MirrorStore
    private let remote: Container
    private let scope: DatabaseScope
    private let limits: MirrorAssets
    /// The order in which assets were read; those that it does not know were read before the program began.
    private var uses: [Asset.Checksum: Int] = [:]
    private var lastUse = 0
    /// The copies under way, which several readers of one asset share.
    private var copies: [Asset.Checksum: SharedTask<Bool>] = [:]
    private var isClosed = false

    private static let usesLimit = 100_000

    init(_ store: MirrorStore, _ remote: Container, _ scope: DatabaseScope, _ limits: MirrorAssets) {
        (self.store, self.remote, self.scope, self.limits) = (store, remote, scope, limits)
    }

    /// Records that the local store was asked for an asset.
    func use(_ asset: StoredAsset) {
        lastUse += 1
        if uses.count >= Self.usesLimit { uses = [:] }
        uses[asset.checksum] = lastUse
    }

    /// Copies an asset of a record from the server, and removes others above the limit.
    ///
    /// - Returns: Whether the local store has the bytes now.
    func fetch(_ asset: StoredAsset, of recordID: RecordID) async throws -> Bool {
        guard try await copy(asset, of: recordID) else { return false }
        try await evict()
        return true
    }

    /// Copies an asset of a record from the server.
    ///
    /// The copy is cancelled when all of its readers are.
    ///
    /// - Returns: Whether the local store has the bytes now.
    func copy(_ asset: StoredAsset, of recordID: RecordID) async throws -> Bool {
        if asset.size > limits.byteLimit { return false }
        while true {
            if isClosed { throw WorkMeter.cancellation }
            let copy =
                copies[asset.checksum] ?? SharedTask { try await self.makeCopy(of: asset, of: recordID) }
            copies[asset.checksum] = copy
            defer {
                if !copy.isPending, copies[asset.checksum] === copy { copies[asset.checksum] = nil }
            }
            do {
                return try await copy.value()
            } catch _ where copy.isCancelled && !Task.isCancelled {
                // Its readers have left.
                continue
            }
        }
    }

    /// Cancels the copies under way, and refuses others, before the store is closed.
    func cancelCopies() {
        isClosed = true
        for copy in copies.values { copy.cancel() }
    }

    private func makeCopy(of asset: StoredAsset, of recordID: RecordID) async throws -> Bool {
        guard let upload = try await store.beginCopy(of: asset) else { return false }
        do {
            let isComplete = try await asset.read { [remote, scope] range in
                if Task.isCancelled { throw WorkMeter.cancellation }
                return try await remote.service.bytes(
                    of: asset, of: recordID, in: range, scope: scope, for: remote.caller)
            } each: { bytes in
                try await upload.append(bytes)
            }
            guard isComplete else {
                throw CabinetError(.assetNotAvailable, "The server has no bytes of the asset.", recordID: recordID)
            }
            let isKept: Bool
            do {
                try await upload.finish()
                isKept = try await store.keep(asset, uploadedAs: upload.id)
            } catch let error as CabinetError where error.isOfMissingAsset {
                // The server has the asset.
                throw CabinetError(
                    .internalError, "The local store has lost bytes of an asset that was copied.", recordID: recordID,
                    underlyingError: error)
            }
            await upload.end()
            use(asset)
            return isKept
        } catch {
            await upload.end()
            throw error
        }
    }
}

extension MirrorAssetCache {
    /// The number of bytes that fit without the removal of others.
    func freeBytes() async throws -> Int64 { try await max(limits.byteLimit, 0) - stored().size }

    private func stored() async throws -> [StoredAsset] {
        var all: [StoredAsset] = []
        while case let page = try await store.assets(after: all.last?.checksum, limit: 500), !page.isEmpty {
            all += page
        }
        return all
    }

    /// Removes bytes that the server has, the least recently read first, until the limit is kept.
    func evict() async throws {
        let stored = try await stored()
        var size = stored.size
        guard size > limits.byteLimit else { return }
        let pending = try await store.pendingAssets()
        var removed: [StoredAsset] = []
        for asset in stored.sorted(by: { uses[$0.checksum] ?? 0 < uses[$1.checksum] ?? 0 })
        where size > limits.byteLimit && !pending.checksums.contains(asset.checksum) {
            removed.append(asset)
            size -= asset.size
        }
        // If an edit came in between, the next copy evicts.
        if removed.isEmpty { return }
        if try await store.evict(removed, at: pending.number) { for asset in removed { uses[asset.checksum] = nil } }
    }
}

extension [StoredAsset] {
    /// The sum of the sizes; the greatest number if a damaged row makes it greater.
    var size: Int64 { reduce(0) { $1.size > .max - $0 ? .max : $0 + $1.size } }
}
