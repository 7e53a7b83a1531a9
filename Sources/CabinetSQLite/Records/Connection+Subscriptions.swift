import Cabinet
import Foundation

/// Who wants to be told of what, and what was told.
extension Connection {
    /// Finds the subscriptions of a user, or of all users.
    func subscriptions(of userName: String?) throws -> [StoredSubscription] {
        guard catalog.hasZones else { return [] }
        let columns = "SELECT userName, content FROM cabinet_subscription"
        let statement = try statements.statement(userName == nil ? columns : "\(columns) WHERE userName = ?")
        defer { statement.reset() }
        if let userName { try statement.bind(userName, at: 1) }
        var found: [StoredSubscription] = []
        while try statement.step() {
            guard let user = statement.string(0), let content = statement.string(1),
                let subscription = subscription(codedAs: content)
            else { throw SQLiteFailure.damaged(path: path, "cabinet_subscription has a row that is no subscription") }
            found.append(StoredSubscription(userName: user, subscription: subscription))
        }
        return found
    }

    /// Stores subscriptions, in the place of those that their users have under the same IDs.
    func put(_ subscriptions: [StoredSubscription]) throws {
        let insertion = try statements.statement(
            "INSERT OR REPLACE INTO cabinet_subscription (userName, subscriptionID, content) VALUES (?, ?, ?)")
        for stored in subscriptions {
            try insertion.bind(stored.userName, at: 1)
            try insertion.bind(stored.subscription.subscriptionID, at: 2)
            try insertion.bind(try JSONText.encode(stored.subscription), at: 3)
            try insertion.run()
        }
    }

    /// Removes subscriptions of a user.
    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) throws {
        let deletion = try statements.statement(
            "DELETE FROM cabinet_subscription WHERE userName = ? AND subscriptionID = ?")
        for id in ids {
            try deletion.bind(userName, at: 1)
            try deletion.bind(id, at: 2)
            try deletion.run()
        }
    }

    /// Reads notifications of a user.
    func notifications(to userName: String, after number: Int64, limit: Int) throws -> [StoredNotification] {
        guard catalog.hasZones else { return [] }
        let statement = try statements.statement(
            """
            SELECT sequence, date, device, subscriptionID, event, replacementKey FROM cabinet_notification \
            WHERE userName = ? AND sequence > ? ORDER BY sequence LIMIT ?
            """)
        defer { statement.reset() }
        try statement.bind(userName, at: 1)
        try statement.bind(number, at: 2)
        try statement.bind(Int64(limit), at: 3)
        var found: [StoredNotification] = []
        while try statement.step() {
            guard let device = statement.string(2), let id = statement.string(3), let text = statement.string(4),
                let event = JSONText.decode(SubscriptionNotification.Event.self, from: text)
            else { throw SQLiteFailure.damaged(path: path, "cabinet_notification has a row that is no notification") }
            found.append(
                StoredNotification(
                    userName: userName, sequenceNumber: statement.int64(0),
                    date: Date(timeIntervalSinceReferenceDate: statement.double(1)), deviceID: device,
                    subscriptionID: id, event: event, replacementKey: statement.string(5)))
        }
        return found
    }

    /// The highest number of a user's notifications that were forgotten.
    func notificationExpirationNumber(of userName: String) throws -> Int64 {
        guard catalog.hasZones else { return 0 }
        let statement = try statements.statement(
            "SELECT number FROM cabinet_notification_expiration WHERE userName = ?")
        defer { statement.reset() }
        try statement.bind(userName, at: 1)
        return try statement.step() ? statement.int64(0) : 0
    }

    /// Stores notifications; the index of replacement keys removes those that they replace.
    func post(_ notifications: [StoredNotification]) throws {
        let insertion = try statements.statement(
            """
            INSERT OR REPLACE INTO cabinet_notification \
            (userName, sequence, date, device, subscriptionID, event, replacementKey) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        for notification in notifications {
            try insertion.bind(notification.userName, at: 1)
            try insertion.bind(notification.sequenceNumber, at: 2)
            try insertion.bind(notification.date.timeIntervalSinceReferenceDate, at: 3)
            try insertion.bind(notification.deviceID, at: 4)
            try insertion.bind(notification.subscriptionID, at: 5)
            try insertion.bind(try JSONText.encode(notification.event), at: 6)
            try insertion.bind(notification.replacementKey, at: 7)
            try insertion.run()
        }
    }

    /// Forgets old notifications of a user.
    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) throws {
        let all = "FROM cabinet_notification WHERE userName = ?"
        let surplus = try statements.statement("SELECT sequence \(all) ORDER BY sequence DESC LIMIT 1 OFFSET ?")
        try surplus.bind(userName, at: 1)
        try surplus.bind(Int64(count), at: 2)
        // The oldest come first, so that what is looked at is what is forgotten.
        let young = try statements.statement("SELECT sequence \(all) AND date >= ? ORDER BY sequence LIMIT 1")
        try young.bind(userName, at: 1)
        try young.bind(date.timeIntervalSinceReferenceDate, at: 2)
        let end = max(try surplus.firstNumber() ?? 0, (try young.firstNumber() ?? .max) - 1)
        let last = try statements.statement("SELECT max(sequence) \(all) AND sequence <= ?")
        try last.bind(userName, at: 1)
        try last.bind(end, at: 2)
        guard let number = try last.firstNumber(), number > 0 else { return }
        let expiration = try statements.statement(
            "INSERT OR REPLACE INTO cabinet_notification_expiration (userName, number) VALUES (?, ?)")
        let deletion = try statements.statement(
            "DELETE FROM cabinet_notification WHERE userName = ? AND sequence <= ?")
        for statement in [expiration, deletion] {
            try statement.bind(userName, at: 1)
            try statement.bind(number, at: 2)
            try statement.run()
        }
    }

    /// The subscription that a text is; the same texts are read in every write.
    private func subscription(codedAs text: String) -> Subscription? {
        // By its bytes: texts that differ only in how their characters are composed are different filters.
        let bytes = Data(text.utf8)
        if let known = decodedSubscriptions[bytes] { return known }
        guard let subscription = JSONText.decode(Subscription.self, from: text) else { return nil }
        if decodedSubscriptions.count >= Self.decodedLimit { decodedSubscriptions = [:] }
        decodedSubscriptions[bytes] = subscription
        return subscription
    }

    /// The largest number of decoded subscriptions to keep.
    static let decodedLimit = 2000
}

/// Values as JSON that a person can read, and that holds every number that a field can.
private enum JSONText {
    private static let infinities = ("inf", "-inf", "nan")

    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinities.0, negativeInfinity: infinities.1, nan: infinities.2)
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinities.0, negativeInfinity: infinities.1, nan: infinities.2)
        return try? decoder.decode(type, from: Data(text.utf8))
    }
}
