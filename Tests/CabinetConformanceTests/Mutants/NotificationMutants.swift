import Cabinet
import Foundation

extension Mutant {
    /// Backends that keep subscriptions, and what they tell, badly.
    static let notifying: [Mutant] = [
        Mutant("forgets subscriptions", caughtBy: ["a subscription is there once it is saved"]) {
            $0.ignoreEntries("subscription/") { $0 != nil }
        },
        Mutant(
            "keeps subscriptions that are removed",
            caughtBy: [
                "a subscription is there once it is saved", "a subscription that fires once is gone",
                "a zone that is deleted fires, and takes its subscriptions along",
            ]
        ) { $0.ignoreEntries("subscription/") { $0 == nil } },
        Mutant(
            "mixes up users' subscriptions", caughtBy: ["subscriptions belong to their user and their database"]
        ) {
            $0.range = { range in
                guard range.lowerBound.text.hasPrefix("subscription/") else { return range }
                return StorageKey("subscription/")..<StorageKey("subscription0")
            }
        },
        Mutant(
            "finds one subscription",
            caughtBy: ["a notification is for its subscriber"]
        ) {
            $0.loaded = { values, _ in
                var values = values
                values.entryRanges = values.entryRanges.map { $0.suffix(1) }
                return values
            }
        },
        Mutant(
            "stores no notifications",
            caughtBy: [
                "a query subscription fires as the table says", "delete rules fire",
                "a filter that fits no more keeps nobody from saving", "desired fields come along",
            ]
        ) {
            $0.ignoreEntries("notification/")
            $0.ignoreEntries("latest/")
        },
        Mutant("stores one of several notifications", caughtBy: ["a notification's token goes on after it"]) {
            $0.applied = { mutations in
                var isFirst = true
                return mutations.filter { mutation in
                    guard case .setEntry(let key, _?) = mutation, key.text.hasPrefix("notification/") else {
                        return true
                    }
                    defer { isFirst = false }
                    return isFirst
                }
            }
        },
        Mutant(
            "replaces no notification", caughtBy: ["a zone subscription tells that something has changed in its zone"]
        ) { fault in
            fault.replaceMutations { mutation in
                guard case .setEntry(let key, let text?) = mutation, key.text.hasPrefix("latest/") else {
                    return [mutation]
                }
                return [.setEntry(StorageKey("\(key)\(UUID().uuidString)"), text)]
            }
        },
        Mutant("forgets which device has made a change", caughtBy: ["own changes are not told"]) { fault in
            fault.mapNotifications {
                StoredNotification(
                    userName: $0.userName, sequenceNumber: $0.sequenceNumber, date: $0.date, deviceID: "",
                    subscriptionID: $0.subscriptionID, event: $0.event)
            }
        },
        Mutant(
            "does not tell that notifications are forgotten", caughtBy: ["a token that is of no use is refused"]
        ) { $0.loseEntries("forgottenNotification/") },
    ]
}

extension Fault {
    /// Changes the notifications that are read, which the core keeps in entries.
    mutating func mapNotifications(_ change: @escaping @Sendable (StoredNotification) -> StoredNotification) {
        mapEntries { entry in
            guard let found = try? JSONDecoder().decode(StoredNotification.self, from: Data(entry.text.utf8)),
                let text = try? JSONEncoder().encode(change(found))
            else { return entry }
            return StorageEntry(key: entry.key, text: String(decoding: text, as: UTF8.self))
        }
    }
}
