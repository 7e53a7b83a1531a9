import Cabinet
import Foundation

/// Who wants to be told of what, and what was told.
extension DatabaseView {
    /// Finds the subscriptions of a user, or of all users; asks the server only if there ever were some.
    func subscriptions(of userName: String?) throws -> [StoredSubscription] {
        guard let row, row.hasSubscriptions else { return [] }
        let all = "SELECT \"userName\", content FROM \(name("cabinet_subscription")) WHERE database = $1"
        let found =
            if let userName {
                try query("\(all) AND \"userName\" = $2", [.integer(row.id), .text(StoredText.encoded(userName))])
            } else {
                try query(all, [.integer(row.id)])
            }
        return try found.rows.map { row in
            guard let user = row.text(0), let content = row.text(1),
                let subscription = JSONText.decode(Subscription.self, from: content)
            else { throw PostgresFailure.damaged("cabinet_subscription has a row that is no subscription") }
            return StoredSubscription(userName: StoredText.decoded(user), subscription: subscription)
        }
    }

    /// Stores subscriptions, in the place of those that their users have under the same IDs.
    func put(_ subscriptions: [StoredSubscription]) throws {
        let databaseID = try writableID()
        if subscriptions.isEmpty { return }
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_subscription")) (database, "userName", "subscriptionID", content) \
            SELECT $1, v.u, v.i, v.c FROM unnest($2::text[], $3::text[], $4::text[]) AS v(u, i, c) \
            ON CONFLICT (database, "userName", "subscriptionID") DO UPDATE SET content = excluded.content
            """,
            [
                .integer(databaseID), .texts(subscriptions.map { StoredText.encoded($0.userName) }),
                .texts(subscriptions.map { StoredText.encoded($0.subscription.subscriptionID) }),
                .texts(try subscriptions.map { try JSONText.encode($0.subscription) }),
            ])
        row?.hasSubscriptions = true
    }

    /// Removes subscriptions of a user.
    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) throws {
        let databaseID = try writableID()
        try connection.enqueue(
            """
            DELETE FROM \(name("cabinet_subscription")) \
            WHERE database = $1 AND "userName" = $2 AND "subscriptionID" = ANY($3)
            """,
            [
                .integer(databaseID), .text(StoredText.encoded(userName)), .texts(ids.map { StoredText.encoded($0) }),
            ])
    }

    /// Reads notifications of a user.
    func notifications(to userName: String, after number: Int64, limit: Int) throws -> [StoredNotification] {
        guard let databaseID else { return [] }
        let found = try query(
            """
            SELECT sequence, date, device, "subscriptionID", event, "replacementKey" \
            FROM \(name("cabinet_notification")) WHERE database = $1 AND "userName" = $2 AND sequence > $3 \
            ORDER BY sequence LIMIT $4
            """,
            [
                .integer(databaseID), .text(StoredText.encoded(userName)), .integer(number), .integer(Int64(limit)),
            ])
        return try found.rows.map { row in
            guard let number = row.integer(0), let date = row.double(1), let device = row.text(2),
                let id = row.text(3), let text = row.text(4),
                let event = JSONText.decode(SubscriptionNotification.Event.self, from: text)
            else { throw PostgresFailure.damaged("cabinet_notification has a row that is no notification") }
            return StoredNotification(
                userName: userName, sequenceNumber: number, date: Date(timeIntervalSinceReferenceDate: date),
                deviceID: StoredText.decoded(device), subscriptionID: StoredText.decoded(id), event: event,
                replacementKey: row.text(5).map(StoredText.decoded))
        }
    }

    /// The highest number of a user's notifications that were forgotten.
    func notificationExpirationNumber(of userName: String) throws -> Int64 {
        guard let databaseID else { return 0 }
        let found = try query(
            """
            SELECT number FROM \(name("cabinet_notification_expiration")) WHERE database = $1 AND "userName" = $2
            """, [.integer(databaseID), .text(StoredText.encoded(userName))])
        return found.first?.integer(0) ?? 0
    }

    /// Stores notifications, after those that they replace were removed.
    func post(_ notifications: [StoredNotification]) throws {
        let databaseID = try writableID()
        // Within a batch the last one of a user and a key replaces the others.
        var last: [[String]: Int64] = [:]
        for notification in notifications {
            guard let key = notification.replacementKey else { continue }
            last[[notification.userName, key]] = notification.sequenceNumber
        }
        let kept = notifications.filter { notification in
            notification.replacementKey.map {
                last[[notification.userName, $0]] == notification.sequenceNumber
            } ?? true
        }
        if kept.isEmpty { return }
        let users = SQLValue.texts(kept.map { StoredText.encoded($0.userName) })
        let keys = SQLValue.texts(kept.map { $0.replacementKey.map(StoredText.encoded) })
        let table = name("cabinet_notification")
        if !last.isEmpty {
            try connection.enqueue(
                """
                DELETE FROM \(table) AS n USING unnest($2::text[], $3::text[]) AS v(u, k) WHERE n.database = $1 \
                AND n."userName" = v.u COLLATE "C" AND n."replacementKey" = v.k COLLATE "C"
                """, [.integer(databaseID), users, keys])
        }
        try connection.enqueue(
            """
            INSERT INTO \(table) \
            (database, "userName", sequence, date, device, "subscriptionID", event, "replacementKey") \
            SELECT $1, v.* FROM unnest($2::text[], $3::bigint[], $4::double precision[], $5::text[], $6::text[], \
            $7::text[], $8::text[]) AS v
            """,
            [
                .integer(databaseID), users, .integers(kept.map(\.sequenceNumber)),
                .doubles(kept.map(\.date.timeIntervalSinceReferenceDate)),
                .texts(kept.map { StoredText.encoded($0.deviceID) }),
                .texts(kept.map { StoredText.encoded($0.subscriptionID) }),
                .texts(try kept.map { try JSONText.encode($0.event) }), keys,
            ])
    }

    /// Forgets old notifications of a user.
    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) throws {
        let databaseID = try writableID()
        let table = name("cabinet_notification")
        try connection.enqueue(
            """
            WITH ending AS (SELECT greatest(\
            coalesce((SELECT sequence FROM \(table) WHERE database = $1 AND "userName" = $2 \
            ORDER BY sequence DESC LIMIT 1 OFFSET $3), 0), \
            coalesce((SELECT sequence - 1 FROM \(table) WHERE database = $1 AND "userName" = $2 AND date >= $4 \
            ORDER BY sequence LIMIT 1), \(Int64.max))) AS number), \
            gone AS (DELETE FROM \(table) WHERE database = $1 AND "userName" = $2 \
            AND sequence <= (SELECT number FROM ending) RETURNING sequence) \
            INSERT INTO \(name("cabinet_notification_expiration")) AS e (database, "userName", number) \
            SELECT $1, $2, max(sequence) FROM gone HAVING max(sequence) IS NOT NULL \
            ON CONFLICT (database, "userName") DO UPDATE SET number = greatest(e.number, excluded.number)
            """,
            [
                .integer(databaseID), .text(StoredText.encoded(userName)), .integer(Int64(max(count, 0))),
                .double(date.timeIntervalSinceReferenceDate),
            ])
    }
}

/// Values as JSON that a person can read, and that holds every number that a field can.
private enum JSONText {
    private static let infinities = ("inf", "-inf", "nan")

    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinities.0, negativeInfinity: infinities.1, nan: infinities.2)
        return StoredText.encoded(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinities.0, negativeInfinity: infinities.1, nan: infinities.2)
        return try? decoder.decode(type, from: Data(StoredText.decoded(text).utf8))
    }
}
