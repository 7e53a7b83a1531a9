import Cabinet
public import Foundation

/// A zone of a database, in which records are saved together.
// Unchecked, and safe: all properties are constants.
open class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The identity of a zone.
    public typealias ID = CKRecordZoneID

    let value: RecordZone

    /// The zone's share, which only a fetched zone has.
    public let share: CKRecord.Reference?

    init(_ value: RecordZone, share: RecordID? = nil) {
        self.value = value
        self.share = share.map { CKReference(Reference(recordID: $0, action: .none)) }
    }

    /// Creates a zone of the container's user.
    ///
    /// Save it before records in it.
    public convenience init(zoneName: String) {
        self.init(RecordZone(zoneName: zoneName))
    }

    /// Creates a zone with an ID.
    public convenience init(zoneID: CKRecordZone.ID) {
        self.init(RecordZone(zoneID: zoneID.value))
    }

    /// Returns the default zone.
    open class func `default`() -> CKRecordZone { CKRecordZone(RecordZone.default()) }

    /// The zone's ID.
    open var zoneID: CKRecordZone.ID { CKRecordZone.ID(value.zoneID) }

    /// The abilities of the zone: none for the default zone; atomic batches, change tokens and shares for others.
    open var capabilities: Capabilities {
        value.zoneID == .default ? [] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
    }

    /// The keys that encrypt the zone's records, which is accepted and ignored: the encrypted values of a zone have one key.
    open var encryptionScope: EncryptionScope {
        get { .perRecord }
        set { IgnoredMember.warn("CKRecordZone.encryptionScope", "the encrypted values of a zone have one key") }
    }

    /// A choice of the keys that encrypt records, with CloudKit's numbers.
    public enum EncryptionScope: Int, Sendable, Hashable {
        /// Each record has keys of its own.
        case perRecord = 0
        /// The records of a zone share their keys.
        case perZone = 1
    }

    /// The abilities of a zone, with CloudKit's numbers.
    public struct Capabilities: OptionSet, Sendable, Hashable {
        /// The abilities as bits.
        public let rawValue: UInt

        /// Creates abilities from bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The zone's changes can be fetched since a token.
        public static let fetchChanges = Capabilities(rawValue: 1)

        /// A batch of the zone's records is saved whole or not at all.
        public static let atomic = Capabilities(rawValue: 2)

        /// Hierarchies of the zone's records can be shared.
        public static let sharing = Capabilities(rawValue: 4)

        /// The zone can be shared.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a zone from an archive.
    public required init?(coder: NSCoder) {
        guard let value: RecordZone = coder.decodeContent() else { return nil }
        self.value = value
        let share: Reference? = coder.decodeContent(forKey: Self.shareKey)
        self.share = share.map { CKReference($0) }
    }

    private static let shareKey = "CabinetShare"

    /// Writes the zone into an archive.
    open func encode(with coder: NSCoder) {
        coder.encodeContent(value)
        if let share { coder.encodeContent(share.value, forKey: Self.shareKey) }
    }

    /// Returns the zone itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is the same zone.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordZone)?.value == value }

    /// A hash of the zone.
    open override var hash: Int { value.hashValue }

    /// The zone's ID, for logs.
    open override var description: String { "<CKRecordZone: \(zoneID.zoneName):\(zoneID.ownerName)>" }
}
