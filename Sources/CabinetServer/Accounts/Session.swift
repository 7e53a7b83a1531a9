import Cabinet
import Foundation

/// A sign-in of a user, under the hash of one of its tokens.
///
/// A sign-in begins with one token. If it is used as a web token, others follow it: see ``AccountStore/authenticate(_:isWebToken:)``.
struct Session: Codable {
    /// The name of the user.
    let user: String
    /// The date from which the token is refused.
    let expiration: Date
    /// The date on which the token was made.
    var date: Date
    /// The hash of the sign-in's first token, which is common to all of its tokens; `nil` for the first one.
    var family: String?
    /// The date after which neither the token nor a later one of the sign-in is valid: that of the token for which it was made, if any.
    var limit: Date?
    /// The hashes of the tokens before this one, the newest last, at most ``maximumEarlierCount``.
    var earlier: [String] = []
    /// Whether the token's predecessor still has to end, because this one was not used yet.
    var isUnused = false
    /// The hash of the next token, once a client has got it.
    var next: String?
    /// The date after which a use shows that the token was stolen; `nil` until its successor is used.
    var end: Date?

    /// The number of tokens of a sign-in that are recognized after their end.
    static let maximumEarlierCount = 8

    static func key(_ hash: String) -> StorageKey { StorageKey("account", "session", hash) }

    /// The seconds for which a token is valid.
    var life: TimeInterval { expiration.timeIntervalSince(date) }

    /// The seconds after which a web token gets a successor.
    var rotationTime: TimeInterval { min(300, life / 4) }
}
