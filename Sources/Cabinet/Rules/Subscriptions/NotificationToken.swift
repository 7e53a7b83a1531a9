/// A position in the notifications of a user.
///
/// A token can be encoded, stored while the program is not running, and decoded again, also by another process. Its content is
/// opaque. It is valid only for the container and the user that it came from.
public struct NotificationToken: Sendable, Hashable {
    /// The position in each database that was read.
    var positions: [DatabaseScope: NotificationPosition]

    /// The container's identifier.
    let containerIdentifier: String

    /// The user whose notifications these are.
    let userRecordName: String
}

/// A token is coded as one string.
extension NotificationToken: Codable {
    private struct Content: OpaqueContent {
        static let name = "a notification token"
        static let currentVersion = 2
        var version = Self.currentVersion
        let positions: [Int: NotificationPosition]
        let containerIdentifier: String
        let userRecordName: String

        private enum CodingKeys: String, CodingKey {
            case version, containerIdentifier, userRecordName
            case positions = "places"
        }

        var fault: String? {
            let isPossible = positions.allSatisfy { scope, position in
                DatabaseScope(rawValue: scope) != nil && position.number >= 0 && position.end.number >= 0
            }
            return isPossible ? nil : "it has an impossible position"
        }
    }

    /// Decodes a token.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` if the data is not a token, or is one of another version.
    public init(from decoder: any Decoder) throws {
        let content = try Content(opaqueFrom: decoder)
        var positions: [DatabaseScope: NotificationPosition] = [:]
        for (scope, position) in content.positions {
            if let scope = DatabaseScope(rawValue: scope) { positions[scope] = position }
        }
        self.init(
            positions: positions, containerIdentifier: content.containerIdentifier,
            userRecordName: content.userRecordName)
    }

    /// Encodes the token, as one string.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        let positions = Dictionary(positions.map { ($0.rawValue, $1) }, uniquingKeysWith: { first, _ in first })
        try Content(positions: positions, containerIdentifier: containerIdentifier, userRecordName: userRecordName)
            .encodeOpaque(to: encoder)
    }
}

extension NotificationToken: CustomStringConvertible {
    /// The positions in the databases, for logs.
    public var description: String {
        positions.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0) at \($1.number)" }.joined(separator: ", ")
    }
}

/// A position in the notifications of a user in one database.
struct NotificationPosition: Sendable, Hashable, Codable {
    /// The number of the last notification that the client knows.
    var number: Int64
    /// The end of the database when the position was determined.
    var end: TimelinePoint
    /// The numbers of the zones of the shared database and of their last changes that the client knows, in turn.
    var zones: [Int64]?
}
