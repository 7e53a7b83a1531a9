import Cabinet
import Foundation
import Synchronization

extension Mutant {
    /// Backends that store subscriptions and notifications incorrectly.
    static let notifying: [Mutant] = [
        Mutant("forgets subscriptions", caughtBy: ["a saved subscription can be fetched"]) {
            $0.ignoreEntries("subscriptionBy") { $0 != nil }
        },
        Mutant(
            "keeps subscriptions that are removed",
            caughtBy: [
                "a saved subscription can be fetched", "a subscription that fires once is deleted",
                "a deleted zone fires, and its subscriptions are deleted",
            ]
        ) { $0.ignoreEntries("subscriptionBy") { $0 == nil } },
        Mutant(
            "mixes up users' subscriptions", caughtBy: ["subscriptions belong to their user and their database"]
        ) {
            $0.mapEntryRanges { range in
                guard range.lowerBound.text.hasPrefix("subscriptionByUser/") else { return range }
                return StorageKey("subscriptionByUser/")..<StorageKey("subscriptionByUser0")
            }
        },
        Mutant(
            "keeps the first version of each topic's subscriptions",
            caughtBy: ["the next save fires the subscriptions that another container has changed"]
        ) { fault in
            let known = Mutex<Set<StorageKey>>([])
            fault.ignoreMutations { mutation in
                guard case .setEntry(let key, _) = mutation, key.text.hasPrefix("subscriptionVersion/") else {
                    return false
                }
                return known.withLock { !$0.insert(key).inserted }
            }
        },
        Mutant(
            "loads entries only together with records",
            caughtBy: ["a deletion fires the subscriptions of every deleted type"]
        ) { fault in
            fault.loaded = { values, keys in
                var values = values
                if keys.records.isEmpty { values.entries = values.entries.map { _ in nil } }
                return values
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
                "a query subscription fires according to the table", "delete rules fire",
                "a filter that no longer fits the schema does not prevent saving",
                "notifications have the desired fields",
            ]
        ) {
            $0.ignoreEntries("notification/")
            $0.ignoreEntries("latest/")
        },
        Mutant(
            "stores no notification that replaces others",
            caughtBy: ["many notifications of one save become one", "a zone subscription reports changes in its zone"]
        ) { $0.ignoreEntries("latest/") },
        Mutant("stores one of several notifications", caughtBy: ["a notification's token continues after it"]) {
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
            "replaces no notification", caughtBy: ["a zone subscription reports changes in its zone"]
        ) { fault in
            fault.replaceMutations { mutation in
                guard case .setEntry(let key, let text?) = mutation, key.text.hasPrefix("latest/") else {
                    return [mutation]
                }
                return [.setEntry(StorageKey("\(key)\(UUID().uuidString)"), text)]
            }
        },
        Mutant("forgets which device has made a change", caughtBy: ["a device's own changes are not reported"]) {
            fault in
            fault.mapNotifications {
                StoredNotification(
                    userName: $0.userName, sequenceNumber: $0.sequenceNumber, date: $0.date, deviceID: "",
                    subscriptionID: $0.subscriptionID, event: $0.event)
            }
        },
        Mutant(
            "does not report that notifications are forgotten", caughtBy: ["an invalid token is refused"]
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
