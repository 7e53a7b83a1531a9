public import Foundation

/// A file that belongs to a record.
///
/// Saving the record copies the file's bytes into the store and leaves the file alone. An asset of a fetched record has
/// a file of its own. Do not change that file. It stays as long as the asset is in memory, at most until the container is
/// closed, even if the record is deleted before:
///
/// ```swift
/// note["image"] = Asset(fileURL: photo)
/// note = try await database.save(note)
/// let image: Asset? = note["image"]
/// let bytes = try await image?.data()
/// ```
///
/// Saved assets are equal if they have the same bytes. Unsaved assets are equal if they were created from the same URL
/// or the same data. A store keeps bytes, and neither the name nor the type of a file. <doc:UsingAssets> describes how
/// files are stored.
public struct Asset: Sendable {
    /// The source of an asset's bytes.
    enum Content: Sendable, Hashable {
        /// A file of the program.
        case file(URL)
        /// A file that decoded text names, and that is never read.
        case namedFile(URL)
        /// Bytes in memory.
        case data(Data)
        /// Bytes in a store, and the file into which the container has copied them.
        case stored(StoredAsset, fileURL: URL?)
    }

    // One pointer, so that field values stay small.
    private final class Storage: Sendable {
        let content: Content
        /// Keeps the folder of the asset's file until the last copy of the asset is released or the container is
        /// closed.
        private let directory: (any AnyObject & Sendable)?

        init(_ content: Content, in directory: (any AnyObject & Sendable)?) {
            self.content = content
            self.directory = directory
        }
    }

    private let storage: Storage

    var content: Content { storage.content }

    init(_ content: Content, in directory: (any AnyObject & Sendable)? = nil) {
        storage = Storage(content, in: directory)
    }

    /// Creates an asset from a local file, which is read when the record is saved.
    ///
    /// Saving throws ``CabinetError/Code/assetFileNotFound`` if the file does not exist, and
    /// ``CabinetError/Code/assetFileModified`` if it changes while it is read.
    ///
    /// - Parameter fileURL: A `file:` URL.
    public init(fileURL: URL) {
        self.init(.file(fileURL))
    }

    /// Creates an asset from bytes.
    ///
    /// - Parameter data: The bytes, which stay in memory until the record is saved.
    public init(data: Data) {
        self.init(.data(data))
    }

    /// Creates an asset whose bytes are in a store, as a backend reads it from a record.
    ///
    /// - Parameter stored: The bytes' identity. They must be in the store that a record with this asset is saved into.
    public init(_ stored: StoredAsset) {
        self.init(.stored(stored, fileURL: nil))
    }

    /// The URL of a file with the bytes, for reading only.
    ///
    /// ``data()`` reads the file and verifies its bytes.
    ///
    /// The URL is `nil` for an asset created from data, in the server's record of a conflict, and if the store has lost
    /// the bytes or had no space for the file. It is also `nil` for a decoded asset, unless the decoder's
    /// `decodesAssetFiles` is set.
    public var fileURL: URL? {
        switch content {
        case .file(let url): url
        case .namedFile, .data: nil
        case .stored(_, let url): url
        }
    }

    /// The number of bytes, or `nil` for an asset that was created from a file and not saved yet.
    public var size: Int64? {
        switch content {
        case .file, .namedFile: nil
        case .data(let data): Int64(data.count)
        case .stored(let stored, _): stored.size
        }
    }

    /// The checksum of the bytes, or `nil` for an asset that was not saved yet.
    public var checksum: Checksum? { stored?.checksum }

    /// The identity of the bytes in their store, or `nil` for an asset that was not saved yet.
    public var stored: StoredAsset? {
        if case .stored(let stored, _) = content { stored } else { nil }
    }
}

extension Asset: Hashable {
    /// Returns a Boolean value that indicates whether two assets have the same bytes or, before they are saved, the
    /// same source.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left.content, right.content) {
        case (.stored(let left, _), .stored(let right, _)): left == right
        case (let left, let right): left == right
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if let stored { hasher.combine(stored) } else { hasher.combine(content) }
    }
}

extension Asset: CustomStringConvertible {
    /// The path of the file, or the number of bytes, with the beginning of the checksum if they are in a store.
    public var description: String {
        switch content {
        case .file(let url), .namedFile(let url): url.path
        case .data(let data): "\(data.count) bytes"
        case .stored(let stored, let url):
            url?.path ?? "\(stored.size) bytes, sha256 \(stored.checksum.description.prefix(8))…"
        }
    }
}
