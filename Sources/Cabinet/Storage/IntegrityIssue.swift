/// A defect that a check of a store has found in a database.
public struct IntegrityIssue: Sendable, Hashable {
    /// The kind of the issue, whose name stays the same in later versions.
    public let kind: Kind

    /// A description in whole sentences: what is wrong, what was expected, and what to do.
    public let message: String

    /// The affected record type.
    public var recordType: Record.RecordType?

    /// The affected record.
    public var recordID: RecordID?

    /// The affected zone.
    public var zoneID: RecordZone.ID?

    /// The affected field.
    public var fieldKey: Record.FieldKey?

    /// The affected index of the schema.
    public var index: StoredIndex?

    /// The checksum of the affected asset.
    public var checksum: Asset.Checksum?

    /// Whether a repair can fix the issue without losing data.
    public var isRepairable: Bool

    /// Creates an issue.
    ///
    /// - Parameters:
    ///   - kind: The kind of the issue.
    ///   - message: A description in whole sentences: what is wrong, what was expected, and what to do.
    ///   - recordType: The affected record type.
    ///   - recordID: The affected record.
    ///   - zoneID: The affected zone.
    ///   - fieldKey: The affected field.
    ///   - index: The affected index of the schema.
    ///   - checksum: The checksum of the affected asset.
    ///   - isRepairable: Whether a repair can fix the issue without losing data. If a backend reports the issue, whether
    ///     ``StorageMaintenance/rebuildIndexes(of:)`` fixes it.
    public init(
        _ kind: Kind, _ message: String, recordType: Record.RecordType? = nil, recordID: RecordID? = nil,
        zoneID: RecordZone.ID? = nil, fieldKey: Record.FieldKey? = nil, index: StoredIndex? = nil,
        checksum: Asset.Checksum? = nil, isRepairable: Bool = false
    ) {
        self.kind = kind
        self.message = message
        self.recordType = recordType
        self.recordID = recordID
        self.zoneID = zoneID
        self.fieldKey = fieldKey
        self.index = index
        self.checksum = checksum
        self.isRepairable = isRepairable
    }
}

extension IntegrityIssue {
    /// A kind of issue.
    ///
    /// The set is open: a later version can add a kind without breaking a `switch`.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
        /// The name of the kind, which never changes.
        public let rawValue: String

        /// Creates a kind from its name.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }
}

extension IntegrityIssue.Kind {
    /// A database, the records of a type, or one record cannot be read.
    public static let unreadable = Self(rawValue: "unreadable")
    /// A record has a value that no record can have, or a field that its record type lacks.
    public static let record = Self(rawValue: "record")
    /// A query returns a record that a fetch by ID does not return, or returns with different values.
    public static let identity = Self(rawValue: "identity")
    /// A sequence number is impossible, or belongs to two changes.
    public static let sequenceNumber = Self(rawValue: "sequenceNumber")
    /// A reference with a delete rule points to a record that does not exist.
    public static let reference = Self(rawValue: "reference")
    /// A reference is missing from the index by target, or the index has one that no record holds.
    public static let referenceIndex = Self(rawValue: "referenceIndex")
    /// A record is not covered by the share that covers its parent, or a participant of a share is not found by name.
    public static let share = Self(rawValue: "share")
    /// A query that an index serves does not return the records that match it.
    public static let index = Self(rawValue: "index")
    /// The change feed of a zone does not list the zone's changes.
    public static let changeFeed = Self(rawValue: "changeFeed")
    /// The stored state of a zone is impossible.
    public static let zone = Self(rawValue: "zone")
    /// A subscription could not have been saved as it is stored, or a fetch does not find it.
    public static let subscription = Self(rawValue: "subscription")
    /// A notification has an impossible number.
    public static let notification = Self(rawValue: "notification")
    /// A record type, a field or an index could not have been created as it is stored.
    public static let schema = Self(rawValue: "schema")
    /// A record has an asset that the store lacks.
    public static let assetMissing = Self(rawValue: "assetMissing")
    /// The bytes of an asset are lost, or differ from those that were stored.
    public static let assetDamaged = Self(rawValue: "assetDamaged")
    /// No record has a stored asset.
    public static let assetUnused = Self(rawValue: "assetUnused")
    /// The store counts an asset as unused although a record has it.
    public static let assetUse = Self(rawValue: "assetUse")
    /// Two records have the same values in fields that the schema declares unique.
    public static let uniqueValue = Self(rawValue: "uniqueValue")
    /// The store's own structure is damaged.
    public static let storage = Self(rawValue: "storage")
    /// A repair failed and changed nothing.
    public static let repair = Self(rawValue: "repair")
}

extension IntegrityIssue.Kind: CustomStringConvertible {
    /// The name of the kind.
    public var description: String { rawValue }
}
