import Cabinet
import Foundation

/// Files and bytes for the rules about assets.
final class AssetSamples: Sendable {
    private let directory: TemporaryDirectory

    /// A folder that is removed with this object.
    var folder: URL { directory.url }

    init() throws { directory = try TemporaryDirectory(for: "conformance") }

    /// Bytes without a recognizable pattern.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var data = Data(capacity: count + 8)
        while data.count < count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            withUnsafeBytes(of: state.littleEndian) { data.append(contentsOf: $0) }
        }
        return data.prefix(count)
    }

    /// Writes a file.
    func file(_ name: String, _ bytes: Data) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try bytes.write(to: url)
        return url
    }
}

extension Record {
    /// The asset in the field `file`.
    func asset(_ key: FieldKey = "file") throws -> Asset {
        try require(self[key] as? Asset, "The asset in '\(key)'")
    }
}

/// Throws unless an asset has its bytes, both when it is read and in its file.
func expectBytes(_ asset: Asset, _ bytes: Data) async throws {
    try expect("The asset's size", asset.size, equals: Int64(bytes.count))
    try expect("The asset's checksum", asset.checksum, equals: Asset.Checksum(of: bytes))
    try expect(try await asset.data() == bytes, "The asset has other bytes than were saved.")
    let file = try require(asset.fileURL, "The asset's file")
    try expect(try Data(contentsOf: file) == bytes, "The asset's file has other bytes than were saved.")
}

extension ConformanceWorld {
    /// Every stored asset.
    func storedAssets(in database: DatabaseKey? = nil) async throws -> [StoredAsset] {
        try await backend.read(database ?? .private(owner: Self.account.userRecordName)) {
            try await $0.storedAssets.assets(after: nil, limit: .max)
        }
    }
}

extension StorageSnapshot {
    /// The ability to read stored assets, which a rule about assets needs.
    var storedAssets: any StoredAssets {
        get throws { try require(abilities.assets, "The ability to read assets") }
    }
}

extension StorageBackend {
    /// The ability to store assets, which a rule about assets needs.
    var assetStorage: any AssetStorage {
        get throws { try require(abilities.assets, "The ability to store assets") }
    }
}
