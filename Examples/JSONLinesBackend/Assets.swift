public import Cabinet
import Foundation

/// The bytes of one asset on their way.
struct Upload: AssetUpload {
    let id = UUID()
    let uploads: Uploads

    func append(_ bytes: Data) { uploads.append(bytes, to: id) }

    func finish() {
        // The transaction that adds them writes them.
    }

    func end() { uploads[id] = nil }
}

extension JSONLinesBackend {
    /// Begins to take in the bytes of an asset, in memory.
    public func beginUpload(to database: DatabaseKey) throws -> any AssetUpload {
        try checkIsOpen()
        let upload = Upload(uploads: uploads)
        upload.append(Data())
        return upload
    }
}

extension StateView {
    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] {
        let assets = state.assets
        let found = assets.keys.filter { each in checksum.map { each > $0 } ?? true }.sorted().prefix(limit)
        return self.assets(for: Array(found)).compactMap(\.self)
    }

    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] {
        let assets = state.assets
        return checksums.map { checksum in
            assets[checksum].map { StoredAsset(checksum: checksum, size: Int64($0.count)) }
        }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> {
        let holders = state.assetHolders
        return Set(checksums.filter { holders[$0] != nil })
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? {
        state.assets[checksum].map { bytes in
            Data(bytes.prefix(Int(clamping: range.upperBound)).dropFirst(Int(clamping: range.lowerBound)))
        }
    }
}

extension Transaction {
    func add(_ asset: StoredAsset, uploadedAs id: UUID) throws {
        guard let bytes = uploads[id] else {
            throw CabinetError(.internalError, "There is no upload \(id): it was ended already.")
        }
        if state.assets[asset.checksum] == nil { add([.asset(asset, bytes: bytes)]) }
    }

    func removeAssets(_ checksums: [Asset.Checksum]) {
        add(checksums.map { .assetRemoved($0) })
    }
}
