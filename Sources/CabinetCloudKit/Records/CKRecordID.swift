import Cabinet
public import Foundation

/// The identity of a record: its name and its zone. CloudKit's `CKRecord.ID`.
// Unchecked, and safe: the only property is a constant.
open class CKRecordID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let value: RecordID

    init(_ value: RecordID) {
        self.value = value
    }

    /// Creates an ID.
    ///
    /// - Parameters:
    ///   - recordName: The name of the record. The default is a new UUID.
    ///   - zoneID: The zone of the record. The default is the default zone.
    public convenience init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
        self.init(RecordID(recordName: recordName, zoneID: zoneID.value))
    }

    /// The name of the record.
    open var recordName: String { value.recordName }

    /// The zone of the record.
    open var zoneID: CKRecordZone.ID { CKRecordZone.ID(value.zoneID) }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads an ID from an archive.
    public required init?(coder: NSCoder) {
        guard let value: RecordID = coder.decodeContent() else { return nil }
        self.value = value
    }

    /// Writes the ID into an archive.
    open func encode(with coder: NSCoder) { coder.encodeContent(value) }

    /// Returns the ID itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is the same ID.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordID)?.value == value }

    /// A hash of the ID.
    open override var hash: Int { value.hashValue }

    /// The name and the zone, for logs.
    open override var description: String { "<CKRecordID: \(recordName):(\(zoneID.zoneName):\(zoneID.ownerName))>" }
}
