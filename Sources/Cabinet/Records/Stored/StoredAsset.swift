/// The identity of an asset's bytes in a store: their checksum and their number.
public struct StoredAsset: Sendable, Hashable, Codable {
    /// The checksum of the bytes.
    public let checksum: Asset.Checksum

    /// The number of bytes.
    public let size: Int64

    /// Creates the identity of an asset's bytes.
    ///
    /// - Parameters:
    ///   - checksum: The checksum of the bytes.
    ///   - size: The number of bytes; not negative.
    public init(checksum: Asset.Checksum, size: Int64) {
        self.checksum = checksum
        self.size = size
    }
}

extension StoredAsset: LosslessStringConvertible {
    /// The checksum in hexadecimal digits, a colon, and the number of bytes, as a backend can keep it in a column of text.
    public var description: String { "\(checksum):\(size)" }

    /// Creates the identity of an asset's bytes from its description, or returns `nil` if the text is not one.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let checksum = Asset.Checksum(hexadecimal: parts[0]), let size = Int64(parts[1]),
            size >= 0
        else { return nil }
        self.init(checksum: checksum, size: size)
    }
}
