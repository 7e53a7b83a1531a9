/// The rules of fetching notifications, and the expiration of notification tokens.
enum NotificationRule {
    /// The databases that can have notifications, in reverse order of reading.
    static let scopes: [DatabaseScope] = [.shared, .public, .private]

    /// The maximum number of notifications to read at once.
    static let pageSize = 200

    /// The maximum number of a user's notifications in one transaction; one more stands for all further ones.
    ///
    /// Otherwise one user's subscriptions would multiply the entries of every other user's save.
    static let maximumCount = 100

    /// Throws if a position has expired.
    ///
    /// The store has never reached the position, or has forgotten notifications since, or was copied from another one since.
    static func check(
        _ position: NotificationPosition, last: Int64, beginning: Int64, expiration: Int64
    ) throws(CabinetError) {
        if max(position.number, position.end.number) > last {
            throw expired(ExpirationReason.newerThanStore)
        }
        if position.number < beginning {
            throw expired(ExpirationReason.copied)
        }
        if position.number < expiration { throw expired("notifications since then were forgotten") }
    }

    /// The error for a position that was lost when an older copy of the store was restored.
    static var replaced: CabinetError { expired(ExpirationReason.restored) }

    private static func expired(_ reason: String) -> CabinetError {
        CabinetError(
            .changeTokenExpired,
            "The notification token has expired: \(reason). Fetch what you need, and begin again without a token.")
    }
}
