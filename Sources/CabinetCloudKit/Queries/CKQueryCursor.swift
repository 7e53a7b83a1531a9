import Cabinet
public import Foundation

/// The position at which the next page of a query begins. CloudKit's `CKQueryOperation.Cursor`.
// Unchecked, and safe: the only property is a constant.
open class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let value: Query.Cursor

    init(_ value: Query.Cursor) {
        self.value = value
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a cursor from an archive.
    public required init?(coder: NSCoder) {
        guard let value: Query.Cursor = coder.decodeContent() else { return nil }
        self.value = value
    }

    /// Writes the cursor into an archive.
    open func encode(with coder: NSCoder) { coder.encodeContent(value) }

    /// Returns the cursor itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is the same position.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKQueryCursor)?.value == value }

    /// A hash of the cursor.
    open override var hash: Int { value.hashValue }
}
