/// Which notifications a user is given, and when a token is of no use any more.
enum NotificationRule {
    /// The databases that can have notifications, the first one last; in the shared one nothing changes yet.
    static let scopes: [DatabaseScope] = [.public, .private]

    /// The most notifications that are read at once.
    static let pageSize = 200

    /// Refuses a place that the store has never reached, or since which notifications were forgotten, or left behind in the store that
    /// the database was copied from.
    static func check(
        _ place: NotificationPlace, last: Int64, beginning: Int64, expiration: Int64
    ) throws(CabinetError) {
        if max(place.number, place.end.number) > last {
            throw expired("it is newer than the store, which must have been replaced by an older one")
        }
        if place.number < beginning {
            throw expired("the database was copied from another store since, or is still being copied")
        }
        if place.number < expiration { throw expired("notifications since then are not remembered any more") }
    }

    /// The error for a position that was lost when an older copy of the store was put back.
    static var replaced: CabinetError { expired("an older copy of the store was put back since") }

    private static func expired(_ reason: String) -> CabinetError {
        CabinetError(
            .changeTokenExpired,
            "The notification token has expired: \(reason). Fetch what you need, and begin again without a token.")
    }
}
