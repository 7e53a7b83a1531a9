import Cabinet
public import Foundation

/// A position in the changes of a database or zone. It is opaque, and can be archived.
// Unchecked, and safe: the only property is a constant.
open class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let value: ServerChangeToken

    init(_ value: ServerChangeToken) {
        self.value = value
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a token from an archive.
    public required init?(coder: NSCoder) {
        guard let value: ServerChangeToken = coder.decodeContent() else { return nil }
        self.value = value
    }

    /// Writes the token into an archive.
    open func encode(with coder: NSCoder) { coder.encodeContent(value) }

    /// Returns the token itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is the same position.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKServerChangeToken)?.value == value }

    /// A hash of the token.
    open override var hash: Int { value.hashValue }

    /// The position, for logs.
    open override var description: String { "<CKServerChangeToken: \(value)>" }
}
