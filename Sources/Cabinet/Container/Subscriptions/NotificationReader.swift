import Foundation

/// Reads a user's notifications, database by database, up to the last one at that time.
struct NotificationReader {
    private let client: ServiceClient
    private let includesOwnChanges: Bool

    /// The position after the last notification that was returned.
    private(set) var token: NotificationToken
    /// The notification that was returned last, with the position of its page.
    private var last: (notification: StoredNotification, scope: Database.Scope, position: NotificationPosition)?
    /// Notifications of one database that were read and not returned yet, in reverse order.
    private var waiting: [StoredNotification] = []
    /// The database of the page, and the position after its last notification.
    private var page: (scope: Database.Scope, position: NotificationPosition)?
    /// The databases that remain to be read, in reverse order.
    private var unread = NotificationRule.scopes

    init(_ sequence: NotificationSequence) throws {
        guard let user = sequence.client.userRecordName else { throw AccountRule.notAuthenticated }
        if let token = sequence.token,
            token.containerIdentifier != sequence.client.containerIdentifier || token.userRecordName != user
        {
            throw CabinetError(
                .invalidArguments,
                "The notification token is of another container or user. Use it where it came from.")
        }
        client = sequence.client
        includesOwnChanges = sequence.includesOwnChanges
        token =
            sequence.token
            ?? NotificationToken(
                positions: [:], containerIdentifier: sequence.client.containerIdentifier, userRecordName: user)
    }

    /// A text that the notifications of one change have in common, of all subscriptions and for all readers; empty before the first one.
    var changeKey: String {
        guard let last else { return "" }
        // A notification of the shared database has no date of its own: it compares the last changes of zones.
        let time =
            last.scope == .shared
            ? "\(last.position.zones ?? [])" : "\(last.notification.date.timeIntervalSinceReferenceDate)"
        return "\(last.scope.rawValue) \(time) \(last.notification.event.subject)"
    }

    /// Whether ``next()`` may return another notification without ``readAgain()``.
    var mayHaveMore: Bool { !waiting.isEmpty || !unread.isEmpty }

    /// Returns the next notification, or `nil` after the last one.
    mutating func next() async throws -> SubscriptionNotification? {
        while true {
            if let page {
                if let notification = waiting.popLast() {
                    // Returned notifications are known, waiting ones are not. The other databases have no waiting
                    // notifications.
                    var position = page.position
                    if !waiting.isEmpty {
                        position.number = notification.sequenceNumber
                        // Notifications of the shared database have no numbers of their own.
                        if page.scope == .shared { position = token.positions[page.scope] ?? position }
                    }
                    token.positions[page.scope] = position
                    last = (notification, page.scope, page.position)
                    return SubscriptionNotification(
                        subscriptionID: notification.subscriptionID, databaseScope: page.scope,
                        event: notification.event, token: token)
                }
                token.positions[page.scope] = page.position
                self.page = nil
            }
            guard let scope = unread.last else { return nil }
            let response = try await client.perform(
                FetchNotificationsRequest(
                    scope: scope, since: token.positions[scope], includesOwnChanges: includesOwnChanges))
            waiting = response.notifications.reversed()
            page = (scope, response.position)
            if !response.moreComing { unread.removeLast() }
        }
    }

    /// Reads all databases once more.
    mutating func readAgain() {
        unread = NotificationRule.scopes
    }
}

extension SubscriptionNotification.Event {
    /// The record or the zone that has changed, as a text; empty for a database.
    fileprivate var subject: String {
        switch self {
        case .query(let event): "\(event.recordID)"
        case .failure(let event): event.recordID.map { "\($0)" } ?? ""
        case .recordZone(let zoneID): "\(zoneID)"
        case .database, .manyChanges: ""
        }
    }
}
