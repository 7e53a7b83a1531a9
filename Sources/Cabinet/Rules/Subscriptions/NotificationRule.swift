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
        _ place: NotificationPlace, last: Int64, beginning: Int64, expiration: Int64
    ) throws(CabinetError) {
        if max(place.number, place.end.number) > last {
            throw expired("it is newer than the store, which must have been replaced by an older one")
        }
        if place.number < beginning {
            throw expired("the database was copied from another store since, or is still being copied")
        }
        if place.number < expiration { throw expired("notifications since then were forgotten") }
    }

    /// The error for a position that was lost when an older copy of the store was restored.
    static var replaced: CabinetError { expired("an older copy of the store was restored since") }

    private static func expired(_ reason: String) -> CabinetError {
        CabinetError(
            .changeTokenExpired,
            "The notification token has expired: \(reason). Fetch what you need, and begin again without a token.")
    }
}
