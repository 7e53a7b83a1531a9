public import Foundation

/// A file that belongs to a record.
public struct Asset: Sendable, Hashable, Codable {
    /// Where the file's bytes lie.
    public let fileURL: URL

    /// Creates an asset from a local file.
    ///
    /// - Parameter fileURL: A `file:` URL.
    public init(fileURL: URL) {
        self.fileURL = fileURL
    }
}

extension Asset: CustomStringConvertible {
    /// The path of the file.
    public var description: String { fileURL.path }
}
