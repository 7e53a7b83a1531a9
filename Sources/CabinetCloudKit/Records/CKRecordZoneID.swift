import Cabinet
public import Foundation

/// The identity of a zone: its name and its owner. CloudKit's `CKRecordZone.ID`.
// Unchecked, and safe: the only property is a constant.
open class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let value: RecordZone.ID

    init(_ value: RecordZone.ID) {
        self.value = value
    }

    /// Creates an ID.
    ///
    /// - Parameters:
    ///   - zoneName: The name of the zone. The default is the default zone.
    ///   - ownerName: The record name of the owner. The default, also for `nil`, is the container's user.
    public convenience init(
        zoneName: String = CKRecordZone.ID.defaultZoneName, ownerName: String? = CKCurrentUserDefaultName
    ) {
        self.init(RecordZone.ID(zoneName: zoneName, ownerName: ownerName ?? CKCurrentUserDefaultName))
    }

    /// The name of the zone.
    open var zoneName: String { value.zoneName }

    /// The record name of the zone's owner.
    open var ownerName: String { value.ownerName }

    /// The ID of the default zone.
    public static let `default` = CKRecordZoneID(RecordZone.ID.default)

    /// The name of the default zone.
    public static let defaultZoneName = RecordZone.ID.defaultZoneName

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads an ID from an archive.
    public required init?(coder: NSCoder) {
        guard let value: RecordZone.ID = coder.decodeContent() else { return nil }
        self.value = value
    }

    /// Writes the ID into an archive.
    open func encode(with coder: NSCoder) { coder.encodeContent(value) }

    /// Returns the ID itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is the same ID.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordZoneID)?.value == value }

    /// A hash of the ID.
    open override var hash: Int { value.hashValue }

    /// The name and the owner, for logs.
    open override var description: String { "<CKRecordZoneID: \(zoneName):\(ownerName)>" }
}
