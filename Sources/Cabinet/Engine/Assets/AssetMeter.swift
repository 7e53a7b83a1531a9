import Foundation

/// Copies assets, and reports the progress.
struct AssetMeter: Sendable {
    private let progress: (@Sendable (AssetProgress) -> Void)?
    private var completed: Int64 = 0
    private var total: Int64 = 0
    /// The assets whose bytes are counted completely.
    private var done: Set<Asset> = []

    init(_ progress: (@Sendable (AssetProgress) -> Void)?) {
        self.progress = progress
    }

    /// Adds the bytes of assets to the total.
    mutating func expect(_ places: [AssetPlace]) {
        guard progress != nil else { return }
        for asset in Set(places.map(\.asset)) {
            // A missing file is reported when it is copied.
            total += (try? AssetBytes(asset))?.size ?? 0
        }
    }

    /// Counts the bytes of an asset that need not be copied, or were already copied for another record.
    mutating func skip(_ place: AssetPlace, _ count: Int64) {
        if done.insert(place.asset).inserted { advance(by: count, at: place) }
    }

    /// Copies the bytes of an asset to an upload, by blocking calls.
    mutating func copy(_ place: AssetPlace, to upload: any AssetUpload) async throws -> StoredAsset {
        let original = try AssetBytes(place.asset)
        var bytes = original
        let file: URL? = place.asset.stored == nil ? place.asset.fileURL : nil
        let clone = if let file { try await upload.clone(file) } else { URL?.none }
        if let clone { bytes = try AssetBytes(immutableFile: clone) }
        while let chunk = try bytes.next() {
            if Task.isCancelled {
                throw CabinetError(
                    .operationCancelled, "The task was cancelled while an asset was copied. Nothing was saved.",
                    recordID: place.recordID, fieldKey: place.key)
            }
            if clone == nil { try await upload.append(chunk) }
            advance(by: Int64(chunk.count), at: place)
        }
        // A process may have changed the file while it was cloned.
        if clone != nil { try original.checkUnchanged(bytes.stored) }
        try await upload.finish()
        done.insert(place.asset)
        return bytes.stored
    }

    private mutating func advance(by count: Int64, at place: AssetPlace) {
        guard let progress else { return }
        completed += count
        total = max(total, completed)
        progress(
            AssetProgress(
                recordID: place.recordID, fieldKey: place.key, completedBytes: completed, totalBytes: total))
    }
}
