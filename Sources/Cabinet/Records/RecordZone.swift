/// A named area of a database that records live in.
///
/// Every database of a user has the default zone, except the shared one.
public struct RecordZone: Sendable, Hashable, Codable {
    /// The zone's ID.
    public let zoneID: ID

    /// Creates a zone with an ID.
    public init(zoneID: ID) {
        self.zoneID = zoneID
    }

    /// Creates a zone of the current user with a name.
    ///
    /// - Parameter zoneName: At most 255 ASCII characters, the first of them no underscore.
    public init(zoneName: String) {
        self.init(zoneID: ID(zoneName: zoneName))
    }

    /// The zone that is always there.
    public static func `default`() -> RecordZone { RecordZone(zoneID: .default) }

    /// What the zone can do: everything, also the default zone, which in CloudKit can do nothing.
    public var capabilities: Capabilities { [.fetchChanges, .atomic] }

    /// What a zone can do.
    public struct Capabilities: OptionSet, Sendable, Hashable {
        /// The capabilities as bits.
        public let rawValue: UInt

        /// Creates capabilities from bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The zone tells what has changed since a token.
        public static let fetchChanges = Capabilities(rawValue: 1)

        /// A batch of records succeeds or fails as a whole.
        public static let atomic = Capabilities(rawValue: 2)
    }
}

extension RecordZone {
    /// The identity of a zone: its name, and the user who owns it.
    public struct ID: Sendable {
        /// The two names, shared by all IDs of records in the zone, so that copying an ID copies one pointer; `nil` for the default
        /// zone, in which nearly all records are, and whose IDs cost nothing to copy, compare and hash.
        private let names: Names?

        private final class Names: Sendable {
            let zoneName: String
            let ownerName: String

            init(zoneName: String, ownerName: String) {
                self.zoneName = zoneName
                self.ownerName = ownerName
            }
        }

        /// Creates a zone ID, whose names are checked when it is used in a request.
        ///
        /// - Parameters:
        ///   - zoneName: At most 255 ASCII characters, the first of them no underscore.
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

        /// The same zone, named with ``defaultOwnerName`` if the owner is the given user.
        func asOwn(of userName: String) -> ID {
            guard let names, names.ownerName.hasSameScalars(as: userName) else { return self }
            return ID(zoneName: names.zoneName)
        }

        /// Whether the owner is the given user, and named.
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
    /// Whether both zone IDs are the same, scalar by scalar.
    public static func == (left: Self, right: Self) -> Bool {
        if left.names === right.names { return true }
        guard let left = left.names, let right = right.names else { return false }
        return left.zoneName.hasSameScalars(as: right.zoneName) && left.ownerName.hasSameScalars(as: right.ownerName)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        // The owner is left out: within one database zones differ by name, and hashing is on the path of every fetch.
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

    /// What a debugger shows.
    public var customMirror: Mirror {
        Mirror(self, children: ["zoneName": zoneName, "ownerName": ownerName], displayStyle: .struct)
    }
}
