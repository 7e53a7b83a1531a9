import Foundation

/// The bytes of an asset, read in parts by blocking calls.
struct AssetBytes {
    private enum Source {
        case file(AssetFile)
        case data(Data)
    }

    private var source: Source
    private let verified: StoredAsset?
    /// Whether another process may write to the file while it is read.
    private var mayChange = false
    private let isHashed: Bool
    private var hash = SHA256()
    private var count: Int64 = 0

    /// Opens an asset.
    ///
    /// - Parameter asset: An asset. The bytes of a stored asset are verified; the file of any other asset must not change during
    ///   the reading.
    /// - Throws: ``CabinetError/Code/assetFileNotFound`` and ``CabinetError/Code/assetNotAvailable``.
    init(_ asset: Asset, isHashed: Bool = true) throws(CabinetError) {
        self.isHashed = isHashed
        switch asset.content {
        case .file(let url):
            (source, verified) = (.file(try AssetFile(url)), nil)
            mayChange = true
        case .namedFile(let url):
            throw CabinetError(
                .assetFileNotFound,
                "The asset was decoded and names the file \(url.path), which is not read: a decoded asset has no file. Set the field to an asset with a file or with data. If this program has encoded the asset itself, set 'decodesAssetFiles' of the decoder."
            )
        case .data(let data):
            (source, verified) = (.data(data), nil)
        case .stored(let stored, let url):
            guard let url else {
                throw CabinetError(
                    .assetNotAvailable,
                    "The asset (\(asset)) has no file here: it was not fetched, or there was no space for its file, or its store has lost the bytes. Fetch the record that has it; if that does not help, container.verify() reports more."
                )
            }
            (source, verified) = (.file(try AssetFile(url)), stored)
        }
    }

    /// Opens a file of the store, which never changes.
    init(immutableFile url: URL) throws(CabinetError) {
        isHashed = true
        (source, verified) = (.file(try AssetFile(url)), nil)
    }

    /// The expected number of bytes.
    var size: Int64 {
        switch source {
        case .file(let file): file.size
        case .data(let data): Int64(data.count)
        }
    }

    /// Returns the next bytes; `nil` at the end, after verifying them.
    ///
    /// - Throws: ``CabinetError/Code/assetFileModified`` if a file of the program has changed since it was opened.
    ///   ``CabinetError/Code/assetNotAvailable`` if the file cannot be read, or a file of a store lacks the stored bytes.
    mutating func next() throws(CabinetError) -> Data? {
        let chunk: Data
        switch source {
        case .file(let file):
            chunk = try file.read()
        case .data(let data):
            chunk = data.prefix(StoredAsset.partSize)
            source = .data(data.dropFirst(StoredAsset.partSize))
        }
        if chunk.isEmpty {
            if isHashed { try checkEnd(stored) }
            return nil
        }
        if isHashed { hash.update(chunk) }
        count += Int64(chunk.count)
        return chunk
    }

    /// Checks that the bytes are those that were stored, or those of one state of the file.
    ///
    /// - Parameter bytes: The identity of the bytes that were read, from the file or from a clone of it.
    func checkEnd(_ bytes: StoredAsset) throws(CabinetError) {
        if let verified {
            guard bytes == verified else {
                throw CabinetError(
                    .assetNotAvailable,
                    "The stored bytes of an asset are damaged: \(bytes.size) bytes with the checksum \(bytes.checksum) instead of \(verified.size) with \(verified.checksum). container.verify() lists all damaged assets. Save the original again, in any record, to repair it."
                )
            }
        } else if mayChange, case .file(let file) = source {
            try file.checkUnchanged(bytes)
        }
    }

    /// The identity of the bytes read so far.
    var stored: StoredAsset { StoredAsset(checksum: hash.checksum, size: count) }
}
