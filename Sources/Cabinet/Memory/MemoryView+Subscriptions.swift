import Foundation

/// Subscriptions and what they have told, as one transaction sees them.
extension MemoryView {
    func subscriptions(of userName: String?) -> [StoredSubscription] {
        if content.subscriptions.isEmpty, changes.subscriptions.isEmpty { return [] }
        let users = userName.map { [$0] } ?? Set(content.subscriptions.keys).union(changes.subscriptions.keys)
        return users.flatMap { user in
            var subscriptions = content.subscriptions[user] ?? [:]
            for (id, change) in changes.subscriptions[user] ?? [:] { subscriptions[id] = change }
            return subscriptions.values.map { StoredSubscription(userName: user, subscription: $0) }
        }
    }

    /// The notifications of a user, with those of this transaction.
    func notifications(of userName: String) -> NotificationLog {
        var log = content.notifications[userName] ?? NotificationLog()
        if let posted = changes.notifications[userName] { log.append(posted) }
        if let number = changes.notificationExpirations[userName] { log.forget(upTo: number) }
        return log
    }

    mutating func put(_ subscriptions: [StoredSubscription]) {
        for stored in subscriptions {
            let id = stored.subscription.subscriptionID
            changes.subscriptions[stored.userName, default: [:]].updateValue(stored.subscription, forKey: id)
        }
    }

    mutating func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) {
        for id in ids { changes.subscriptions[userName, default: [:]].updateValue(nil, forKey: id) }
    }

    mutating func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) {
        let all = notifications(of: userName).entries(after: 0, limit: .max)
        let surplus = all.dropLast(count).last?.sequenceNumber
        let old = all.prefix { $0.date < date }.last?.sequenceNumber
        guard let number = [surplus, old].compactMap(\.self).max() else { return }
        changes.notificationExpirations[userName] = number
    }
}
