import Cabinet
import Foundation

extension StateView {
    func subscriptions(of userName: String?) -> [StoredSubscription] {
        let all = state.subscriptions
        return userName.map { user in all.filter { $0.userName == user } } ?? all
    }

    func notifications(to userName: String, after number: Int64, limit: Int) -> [StoredNotification] {
        let all = state.notifications[userName] ?? []
        // The new ones are at the end.
        let start = all.lastIndex { $0.sequenceNumber <= number }.map { $0 + 1 } ?? 0
        return Array(all[start...].prefix(limit))
    }

    func notificationExpirationNumber(of userName: String) -> Int64 {
        state.forgottenNotifications[userName] ?? 0
    }
}

extension Transaction {
    func put(_ subscriptions: [StoredSubscription]) {
        add(subscriptions.map { .subscription($0) })
    }

    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) {
        add(ids.map { .subscriptionRemoved($0, user: userName) })
    }

    func post(_ notifications: [StoredNotification]) {
        add(notifications.map { .notification($0) })
    }

    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) {
        let all = state.notifications[userName] ?? []
        let surplus = all.dropLast(count).last?.sequenceNumber ?? 0
        let old = all.prefix { $0.date < date }.last?.sequenceNumber ?? 0
        if max(surplus, old) > 0 { add([.notificationsForgotten(user: userName, upTo: max(surplus, old))]) }
    }
}
