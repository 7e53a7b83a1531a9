/// A named area of a database that contains records.
///
/// Every database except the shared one has a default zone. Save another zone before its first record:
///
/// ```swift
/// let zone = try await database.save(RecordZone(zoneName: "Travel"))
/// ```
///
/// <doc:Zones> describes how zones are created, fetched and deleted.
public struct RecordZone: Sendable, Hashable, Codable {
    /// The zone's ID.
    public let zoneID: ID

    /// Creates a zone with an ID.
    public init(zoneID: ID) {
        self.zoneID = zoneID
    }

    /// Creates a zone of the current user, which exists after it is saved.
    ///
    /// - Parameter zoneName: At most 255 ASCII characters, not beginning with an underscore.
    public init(zoneName: String) {
        self.init(zoneID: ID(zoneName: zoneName))
    }

    /// Returns the default zone, which always exists.
    public static func `default`() -> RecordZone { RecordZone(zoneID: .default) }

    /// The zone's capabilities.
    ///
    /// Every zone reports changes and saves batches as a whole; in CloudKit, the default zone does neither. The default zone cannot be shared.
    public var capabilities: Capabilities {
        zoneID == .default ? [.fetchChanges, .atomic] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
    }

    /// The capabilities of a zone.
    public struct Capabilities: OptionSet, Sendable, Hashable {
        /// The capabilities as bits.
        public let rawValue: UInt

        /// Creates capabilities from bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The zone reports the changes since a token.
        public static let fetchChanges = Capabilities(rawValue: 1)

        /// A batch of records succeeds or fails as a whole.
        public static let atomic = Capabilities(rawValue: 2)

        /// Hierarchies of the zone's records can be shared.
        public static let sharing = Capabilities(rawValue: 4)

        /// The zone can be shared as a whole.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }
}

extension RecordZone {
    /// The identity of a zone: its name, and the user who owns it.
    public struct ID: Sendable {
        /// The two names, shared by all IDs of records in the zone, so that copying an ID copies one pointer.
        ///
        /// It is `nil` for the default zone, which contains nearly all records, so that its IDs cost nothing to copy,
        /// compare and hash.
        private let names: Names?

        private final class Names: Sendable {
            let zoneName: String
            let ownerName: String

            init(zoneName: String, ownerName: String) {
                self.zoneName = zoneName
                self.ownerName = ownerName
            }
        }

        /// Creates a zone ID.
        ///
        /// A request with a malformed name throws ``CabinetError/Code/invalidArguments``.
        ///
        /// - Parameters:
        ///   - zoneName: At most 255 ASCII characters, not beginning with an underscore.
        ///   - ownerName: The owner's user record name. ``defaultOwnerName`` stands for the current user.
        public init(zoneName: String = defaultZoneName, ownerName: String = defaultOwnerName) {
            let isDefault =
                zoneName.hasSameScalars(as: Self.defaultZoneName) && ownerName.hasSameScalars(as: Self.defaultOwnerName)
            names = isDefault ? nil : Names(zoneName: zoneName, ownerName: ownerName)
        }

        private init(names: Names?) {
            self.names = names
        }

        /// The zone's name.
        public var zoneName: String { names?.zoneName ?? Self.defaultZoneName }

        /// The user record name of the zone's owner; ``defaultOwnerName`` stands for the current user.
        public var ownerName: String { names?.ownerName ?? Self.defaultOwnerName }

        /// Returns the same zone, named with ``defaultOwnerName`` if the owner is the given user.
        func asOwn(of userName: String) -> ID {
            guard let names, names.ownerName.hasSameScalars(as: userName) else { return self }
            return ID(zoneName: names.zoneName)
        }

        /// Returns a Boolean value that indicates whether the ID names the given user as the owner.
        func namesOwner(_ userName: String) -> Bool {
            names?.ownerName.hasSameScalars(as: userName) ?? false
        }

        /// The default zone of the current user.
        public static var `default`: ID { ID(names: nil) }

        /// The name of the default zone: `_defaultZone`.
        public static let defaultZoneName = "_defaultZone"

        /// The owner name that stands for the current user: `__defaultOwner__`.
        public static let defaultOwnerName = "__defaultOwner__"
    }
}

extension RecordZone.ID: Hashable {
    /// Returns a Boolean value that indicates whether two zone IDs are equal, scalar by scalar.
    public static func == (left: Self, right: Self) -> Bool {
        if left.names === right.names { return true }
        guard let left = left.names, let right = right.names else { return false }
        return left.zoneName.hasSameScalars(as: right.zoneName) && left.ownerName.hasSameScalars(as: right.ownerName)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        // The owner is left out, because zones within one database differ by name, and every fetch hashes IDs.
        guard let names else { return hasher.combine(0 as UInt8) }
        names.zoneName.hashScalars(into: &hasher)
    }
}

extension RecordZone.ID: Codable {
    private enum CodingKeys: String, CodingKey {
        case zoneName
        case ownerName
    }

    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            zoneName: try container.decode(String.self, forKey: .zoneName),
            ownerName: try container.decode(String.self, forKey: .ownerName))
    }

    /// Encodes the zone ID, as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(zoneName, forKey: .zoneName)
        try container.encode(ownerName, forKey: .ownerName)
    }
}

extension RecordZone.ID: CustomStringConvertible, CustomReflectable {
    /// `zoneName`, followed by `:ownerName` when the owner is not the current user.
    public var description: String {
        ownerName == Self.defaultOwnerName ? zoneName : "\(zoneName):\(ownerName)"
    }

    /// The two names, as a debugger shows them.
    public var customMirror: Mirror {
        Mirror(self, children: ["zoneName": zoneName, "ownerName": ownerName], displayStyle: .struct)
    }
}
