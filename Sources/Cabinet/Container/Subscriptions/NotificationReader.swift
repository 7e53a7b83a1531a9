import Foundation

/// Reads a user's notifications, database by database, up to the last one at that time.
struct NotificationReader {
    private let client: ServiceClient
    private let includesOwnChanges: Bool

    /// The position after the last notification that was returned.
    private(set) var token: NotificationToken
    /// A text that the notifications of one change have in common, of all subscriptions and for all readers.
    private(set) var changeKey = ""
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
                    // A notification of the shared database has no date of its own: it compares the last changes of zones.
                    let time =
                        page.scope == .shared
                        ? "\(page.position.zones ?? [])" : "\(notification.date.timeIntervalSinceReferenceDate)"
                    changeKey = "\(page.scope.rawValue) \(time) \(notification.event.subject)"
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
