import Foundation

/// Uploads assets, and reports the progress.
struct AssetMeter: Sendable {
    private let progress: (@Sendable (AssetProgress) -> Void)?
    private var completed: Int64 = 0
    private var total: Int64 = 0
    /// The assets whose bytes are counted completely, by the owners of the zones.
    private var done: [String: Set<Asset>] = [:]

    init(_ progress: (@Sendable (AssetProgress) -> Void)?) {
        self.progress = progress
    }

    /// Adds the bytes of assets to the total.
    mutating func expect(_ places: [AssetPlace]) {
        guard progress != nil else { return }
        for places in Dictionary(grouping: places, by: \.owner).values {
            // A missing file is reported when it is copied.
            for asset in Set(places.map(\.asset)) { total += (try? AssetBytes(asset))?.size ?? 0 }
        }
    }

    /// Counts all bytes again from the first.
    mutating func restart() {
        (completed, done) = (0, [:])
    }

    /// Counts the bytes of an asset that need not be copied, or were already copied for another record.
    mutating func skip(_ place: AssetPlace, _ count: Int64) {
        if done[place.owner, default: []].insert(place.asset).inserted { advance(by: count, at: place) }
    }

    /// Sends the bytes of an asset to an upload, by blocking reads, and finishes it.
    ///
    /// If that fails, the bytes do not count.
    mutating func copy(
        _ place: AssetPlace, to upload: BeginUploadRequest.Response, by client: ServiceClient
    ) async throws -> StoredAsset {
        let before = completed
        do {
            return try await send(place, to: upload, by: client)
        } catch {
            completed = before
            throw error
        }
    }

    private mutating func send(
        _ place: AssetPlace, to upload: BeginUploadRequest.Response, by client: ServiceClient
    ) async throws -> StoredAsset {
        // The service computes the checksum.
        var bytes = try AssetBytes(place.asset, isHashed: false)
        var offset: Int64 = 0
        while !upload.hasFile, let chunk = try bytes.next() {
            if Task.isCancelled {
                throw CabinetError(
                    .operationCancelled, "The task was cancelled while an asset was copied. Nothing was saved.",
                    recordID: place.recordID, fieldKey: place.key)
            }
            try await client.service.send(chunk, to: upload.upload, at: offset, for: client.caller)
            offset += Int64(chunk.count)
            advance(by: Int64(chunk.count), at: place)
        }
        let stored = try await client.perform(FinishUploadRequest(upload: upload.upload))
        // The file may have changed while it was read or shared.
        try bytes.checkEnd(stored)
        if upload.hasFile { advance(by: stored.size, at: place) }
        done[place.owner, default: []].insert(place.asset)
        return stored
    }

    private mutating func advance(by count: Int64, at place: AssetPlace) {
        guard let progress else { return }
        // A faulty server may report any size.
        completed = count > .max - completed ? .max : completed + max(count, 0)
        total = max(total, completed)
        progress(
            AssetProgress(
                recordID: place.recordID, fieldKey: place.key, completedBytes: completed, totalBytes: total))
    }
}
