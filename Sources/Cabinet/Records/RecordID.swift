import Foundation

/// The identity of a record: its name within a zone.
///
/// A record ID is unique in its database, across all record types, and never changes.
///
/// ```swift
/// let id = RecordID(recordName: "milk", zoneID: zone.zoneID)
/// let inDefaultZone: RecordID = "milk"
/// ```
public struct RecordID: Sendable {
    /// The record's name: 1 to 255 ASCII characters, not beginning with an underscore.
    public let recordName: String

    /// The zone that the record lives in.
    public let zoneID: RecordZone.ID

    /// Creates a record ID.
    ///
    /// A request with a malformed name throws ``CabinetError/Code/invalidArguments``.
    ///
    /// - Parameters:
    ///   - recordName: 1 to 255 ASCII characters, not beginning with an underscore. The default is a new UUID of
    ///     version 7. It begins with the time, so records that are created together are adjacent in an index.
    ///   - zoneID: The zone of the record.
    public init(recordName: String = Self.uniqueRecordName(), zoneID: RecordZone.ID = .default) {
        self.recordName = recordName
        self.zoneID = zoneID
    }

    /// Returns a new record name: a UUID of version 7, which no other call returns.
    public static func uniqueRecordName() -> String {
        TimeOrderedUUID.next().uuidString
    }
}

extension RecordID: ExpressibleByStringLiteral {
    /// Creates the ID of a record in the default zone: `let id: RecordID = "milk"`.
    ///
    /// - Parameter value: The record's name.
    public init(stringLiteral value: String) {
        self.init(recordName: value)
    }
}

extension RecordID: Hashable {
    /// Returns a Boolean value that indicates whether two record IDs are equal, scalar by scalar.
    public static func == (left: Self, right: Self) -> Bool {
        left.recordName.hasSameScalars(as: right.recordName) && left.zoneID == right.zoneID
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        recordName.hashScalars(into: &hasher)
        zoneID.hash(into: &hasher)
    }
}

extension RecordID: Codable {
    private enum CodingKeys: String, CodingKey {
        case recordName
        case zoneID
    }

    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            recordName: try container.decode(String.self, forKey: .recordName),
            zoneID: try container.decodeIfPresent(RecordZone.ID.self, forKey: .zoneID) ?? .default)
    }

    /// Encodes the record ID, as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(recordName, forKey: .recordName)
        if zoneID != .default { try container.encode(zoneID, forKey: .zoneID) }
    }
}

extension RecordID: CustomStringConvertible, CustomReflectable {
    /// `recordName`, preceded by `zone/` when the zone is not the default one.
    public var description: String {
        zoneID == .default ? recordName : "\(zoneID)/\(recordName)"
    }

    /// The name and the zone, as a debugger shows them.
    public var customMirror: Mirror {
        Mirror(self, children: ["recordName": recordName, "zoneID": zoneID], displayStyle: .struct)
    }
}
