import Foundation

/// A position in the notifications of a user.
///
/// A token can be encoded, stored while the program is not running, and decoded again, also by another process. Its content is
/// opaque. It is valid only for the container and the user that it came from.
public struct NotificationToken: Sendable, Hashable {
    /// The position in each database that was read.
    var places: [DatabaseScope: NotificationPlace]

    /// The container's identifier.
    let containerIdentifier: String

    /// The user whose notifications these are.
    let userRecordName: String
}

/// A token is coded as one string.
extension NotificationToken: Codable {
    private struct Content: Codable {
        let version: Int
        let places: [Int: NotificationPlace]
        let containerIdentifier: String
        let userRecordName: String
    }

    private static let version = 2

    /// Decodes a token.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` if the data is not a token, or is one of another version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let data = Data(base64Encoded: text), let content = try? JSONDecoder().decode(Content.self, from: data),
            content.version == Self.version
        else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "The data is not a notification token of this version of Cabinet.")
        }
        var places: [DatabaseScope: NotificationPlace] = [:]
        for (scope, place) in content.places {
            guard let scope = DatabaseScope(rawValue: scope), place.number >= 0, place.end.number >= 0 else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "The notification token has an impossible position.")
            }
            places[scope] = place
        }
        self.init(
            places: places, containerIdentifier: content.containerIdentifier, userRecordName: content.userRecordName)
    }

    /// Encodes the token, as one string.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        let json = JSONEncoder()
        json.outputFormatting = .sortedKeys
        let places = Dictionary(places.map { ($0.rawValue, $1) }, uniquingKeysWith: { first, _ in first })
        let content = Content(
            version: Self.version, places: places, containerIdentifier: containerIdentifier,
            userRecordName: userRecordName)
        var container = encoder.singleValueContainer()
        try container.encode(try json.encode(content).base64EncodedString())
    }
}

extension NotificationToken: CustomStringConvertible {
    /// The positions in the databases, for logs.
    public var description: String {
        places.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0) at \($1.number)" }.joined(separator: ", ")
    }
}

/// A position in the notifications of a user in one database.
struct NotificationPlace: Sendable, Hashable, Codable {
    /// The number of the last notification that the client knows.
    var number: Int64
    /// The end of the database when the position was determined.
    var end: TimelinePoint
    /// The numbers of the zones of the shared database and of their last changes that the client knows, in turn.
    var zones: [Int64]?
}
