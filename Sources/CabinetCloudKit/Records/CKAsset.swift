import Cabinet
public import Foundation

/// A file that belongs to a record.
// Unchecked, and safe: the only property is a constant.
open class CKAsset: NSObject, NSSecureCoding, NSCopying, CKRecordValueProtocol, @unchecked Sendable {
    let value: Asset

    init(_ value: Asset) {
        self.value = value
    }

    /// Creates an asset from a local file, which is read when the record is saved.
    public convenience init(fileURL: URL) {
        self.init(Asset(fileURL: fileURL))
    }

    /// The file with the bytes, or `nil` if they were not fetched, as in the server's record of a conflict.
    ///
    /// After a save, an asset of the record has another file than the program's own, with the bytes as they were saved. It stays as
    /// long as the asset is in memory.
    open var fileURL: URL? { value.fileURL }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads an asset from an archive.
    public required init?(coder: NSCoder) {
        guard let value: Asset = coder.decodeContent() else { return nil }
        self.value = value
    }

    /// Writes the asset into an archive: the location of its file, or the identity of its stored bytes.
    open func encode(with coder: NSCoder) { coder.encodeContent(value) }

    /// Returns the asset itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another asset has the same bytes or, unsaved, the same file.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKAsset)?.value == value }

    /// A hash of the asset.
    open override var hash: Int { value.hashValue }

    /// The file or the size, for logs.
    open override var description: String { "<CKAsset: \(value)>" }
}
