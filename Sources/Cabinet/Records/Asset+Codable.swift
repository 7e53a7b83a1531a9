public import Foundation

extension Asset: Codable {
    private enum Key: String, CodingKey {
        case fileURL, data, checksum, size
    }

    /// Decodes an asset.
    ///
    /// A decoded asset never has a ``fileURL``, because the text may come from a client, and saving a record reads the
    /// files of its assets. Saving an asset that only names a file fails with ``CabinetError/Code/assetFileNotFound``.
    /// To decode what this program itself has encoded, set the decoder's `decodesAssetFiles`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let url = try values.decodeIfPresent(URL.self, forKey: .fileURL)
        let readsFiles = CodingUserInfoKey.decodesAssetFiles.flatMap { decoder.userInfo[$0] as? Bool } ?? false
        if let checksum = try values.decodeIfPresent(Checksum.self, forKey: .checksum) {
            let size = try values.decode(Int64.self, forKey: .size)
            guard size >= 0 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .size, in: values, debugDescription: "An asset cannot have \(size) bytes.")
            }
            self.init(.stored(StoredAsset(checksum: checksum, size: size), fileURL: readsFiles ? url : nil))
        } else if let url {
            self.init(readsFiles ? .file(url) : .namedFile(url))
        } else {
            self.init(data: try values.decode(Data.self, forKey: .data))
        }
    }

    /// Encodes the asset: its identity in the store, or its URL or bytes if it was not saved.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch content {
        case .file(let url), .namedFile(let url): try values.encode(url, forKey: .fileURL)
        case .data(let data): try values.encode(data, forKey: .data)
        case .stored(let stored, let url):
            try values.encode(stored.checksum, forKey: .checksum)
            try values.encode(stored.size, forKey: .size)
            try values.encodeIfPresent(url, forKey: .fileURL)
        }
    }
}

extension CodingUserInfoKey {
    /// The key of a Boolean value that indicates whether decoded assets may name files to read.
    ///
    /// Set it in the user info of a decoder other than `JSONDecoder` and `PropertyListDecoder`, and only for text that this program
    /// has encoded.
    public static let decodesAssetFiles = CodingUserInfoKey(rawValue: "Cabinet.decodesAssetFiles")
}

extension JSONDecoder {
    /// Whether decoded assets may name files to read; `false` by default.
    ///
    /// Set it only for text that this program has encoded itself, such as edits that wait to be sent. With text from elsewhere, a
    /// client could have any file stored that this process can read.
    public var decodesAssetFiles: Bool {
        get { CodingUserInfoKey.decodesAssetFiles.flatMap { userInfo[$0] as? Bool } ?? false }
        set { if let key = CodingUserInfoKey.decodesAssetFiles { userInfo[key] = newValue } }
    }
}

extension PropertyListDecoder {
    /// Whether decoded assets may name files to read; `false` by default.
    ///
    /// Set it only for property lists that this program has encoded itself, as for a `JSONDecoder`.
    public var decodesAssetFiles: Bool {
        get { CodingUserInfoKey.decodesAssetFiles.flatMap { userInfo[$0] as? Bool } ?? false }
        set { if let key = CodingUserInfoKey.decodesAssetFiles { userInfo[key] = newValue } }
    }
}
