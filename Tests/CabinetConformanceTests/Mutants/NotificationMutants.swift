import Cabinet

extension Mutant {
    /// Backends that keep subscriptions, and what they tell, badly.
    static let notifying: [Mutant] = [
        Mutant("forgets subscriptions", caughtBy: ["a subscription is there once it is saved"]) {
            $0.putSubscriptions = { _ in [] }
        },
        Mutant(
            "keeps subscriptions that are removed",
            caughtBy: [
                "a subscription is there once it is saved", "a subscription that fires once is gone",
                "a zone that is deleted fires, and takes its subscriptions along",
            ]
        ) { $0.removedSubscriptions = { _ in [] } },
        Mutant(
            "mixes up users' subscriptions", caughtBy: ["subscriptions belong to their user and their database"]
        ) { $0.subscriber = { _ in nil } },
        Mutant(
            "finds one subscription",
            caughtBy: ["a notification is for its subscriber"]
        ) { $0.subscriptions = { $0.sorted { $0.userName < $1.userName }.suffix(1).map(\.self) } },
        Mutant(
            "stores no notifications",
            caughtBy: [
                "a query subscription fires as the table says", "delete rules fire",
                "a filter that fits no more keeps nobody from saving", "desired fields come along",
            ]
        ) { $0.posted = { _ in [] } },
        Mutant("has one replacement key for all users", caughtBy: ["a replacement key belongs to its user"]) {
            $0.replacesOthersNotifications = true
        },
        Mutant("stores one of several notifications", caughtBy: ["a notification's token goes on after it"]) {
            $0.posted = { Array($0.prefix(1)) }
        },
        Mutant(
            "replaces no notification", caughtBy: ["a zone subscription tells that something has changed in its zone"]
        ) { fault in
            fault.posted = { notifications in
                notifications.map {
                    StoredNotification(
                        userName: $0.userName, sequenceNumber: $0.sequenceNumber, date: $0.date, deviceID: $0.deviceID,
                        subscriptionID: $0.subscriptionID, event: $0.event)
                }
            }
        },
        Mutant("forgets which device has made a change", caughtBy: ["own changes are not told"]) { fault in
            fault.notifications = { notifications in
                notifications.map {
                    StoredNotification(
                        userName: $0.userName, sequenceNumber: $0.sequenceNumber, date: $0.date, deviceID: "",
                        subscriptionID: $0.subscriptionID, event: $0.event)
                }
            }
        },
        Mutant("tells notifications in no order", caughtBy: ["a notification's token goes on after it"]) {
            $0.notifications = { $0.reversed() }
        },
        Mutant(
            "tells notifications from the beginning", caughtBy: ["a query subscription fires as the table says"]
        ) { $0.notifiedSince = { _ in 0 } },
        Mutant(
            "does not tell that notifications are forgotten", caughtBy: ["a token that is of no use is refused"]
        ) { $0.expiration = { _ in 0 } },
    ]
}
