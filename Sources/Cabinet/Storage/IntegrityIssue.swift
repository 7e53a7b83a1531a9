/// Something in a database that is not as it must be, as a check of the store finds it.
public struct IntegrityIssue: Sendable, Hashable {
    /// What is wrong, by a name that stays the same in later versions.
    public let kind: Kind

    /// What is wrong, what was expected, and what to do, in whole sentences.
    public let message: String

    /// The record type that it is about.
    public var recordType: Record.RecordType?

    /// The record that it is about.
    public var recordID: RecordID?

    /// The zone that it is about.
    public var zoneID: RecordZone.ID?

    /// The field that it is about.
    public var fieldKey: Record.FieldKey?

    /// The index of the schema that it is about.
    public var index: StoredIndex?

    /// The checksum of the asset that it is about.
    public var checksum: Asset.Checksum?

    /// Whether a repair can mend it without losing anything.
    public var isRepairable: Bool

    /// Creates a damage.
    ///
    /// - Parameters:
    ///   - kind: What is wrong.
    ///   - message: What is wrong, what was expected, and what to do, in whole sentences.
    ///   - recordType: The record type that it is about.
    ///   - recordID: The record that it is about.
    ///   - zoneID: The zone that it is about.
    ///   - fieldKey: The field that it is about.
    ///   - index: The index of the schema that it is about.
    ///   - checksum: The checksum of the asset that it is about.
    ///   - isRepairable: Whether a repair can mend it without losing anything; from a backend, whether
    ///     ``StorageMaintenance/rebuildIndexes(of:)`` does.
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
    /// A kind of damage.
    ///
    /// The set is open: a later version can add a kind without breaking a `switch`.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
        /// The name of the kind, which never changes.
        public let rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }
}

extension IntegrityIssue.Kind {
    /// Something cannot be read: a database, the records of a type, or one record.
    public static let unreadable = Self(rawValue: "unreadable")
    /// A record holds what no record can hold, or what its record type does not have.
    public static let record = Self(rawValue: "record")
    /// A record is found by a query, and by its ID it is not, or is another.
    public static let identity = Self(rawValue: "identity")
    /// A number of a change is impossible, or was given out twice.
    public static let sequenceNumber = Self(rawValue: "sequenceNumber")
    /// A reference with a delete rule points to a record that is not there.
    public static let reference = Self(rawValue: "reference")
    /// From its target, a reference is not found, or one is found that no record holds.
    public static let referenceIndex = Self(rawValue: "referenceIndex")
    /// A query that an index serves finds other records than there are.
    public static let index = Self(rawValue: "index")
    /// The change feed of a zone does not list what has changed in it.
    public static let changeFeed = Self(rawValue: "changeFeed")
    /// What is known of a zone cannot be.
    public static let zone = Self(rawValue: "zone")
    /// A subscription is none that could have been saved, or is not found.
    public static let subscription = Self(rawValue: "subscription")
    /// A notification's number cannot be.
    public static let notification = Self(rawValue: "notification")
    /// A record type, a field or an index is none that could have been made.
    public static let schema = Self(rawValue: "schema")
    /// A record has an asset that the store does not have.
    public static let assetMissing = Self(rawValue: "assetMissing")
    /// The bytes of an asset are lost, or not those that were stored.
    public static let assetDamaged = Self(rawValue: "assetDamaged")
    /// An asset is stored that no record has.
    public static let assetUnused = Self(rawValue: "assetUnused")
    /// The store believes that no record has an asset, and one has it.
    public static let assetUse = Self(rawValue: "assetUse")
    /// The store's own structure is damaged.
    public static let storage = Self(rawValue: "storage")
    /// A repair failed, and has changed nothing.
    public static let repair = Self(rawValue: "repair")
}

extension IntegrityIssue.Kind: CustomStringConvertible {
    /// The name of the kind.
    public var description: String { rawValue }
}
