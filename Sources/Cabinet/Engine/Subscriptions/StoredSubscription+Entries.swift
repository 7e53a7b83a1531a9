import Foundation

/// A subscription is an entry under its topic. A second one, under its user, has the key of the first as its text.
///
/// Earlier versions stored `subscription/<user>/<ID>` instead. The first write that loads these entries moves them.
extension StoredSubscription {
    /// The keys of all subscriptions.
    static let allKeys = StorageKey.all("subscriptionByTopic")

    /// The keys of the entries by which users' subscriptions are found.
    static let allUserKeys = StorageKey.all("subscriptionByUser")

    /// The keys of all subscriptions that an earlier version has stored.
    static let allEarlierKeys = StorageKey.all("subscription")

    /// The keys of the entries by which a user's subscriptions are found.
    static func userKeys(of userName: String) -> Range<StorageKey> { StorageKey.all("subscriptionByUser", userName) }

    /// The key of the entry by which a user's subscription is found.
    static func userKey(_ id: Subscription.ID, of userName: String) -> StorageKey {
        StorageKey("subscriptionByUser", userName, id)
    }

    /// The keys of a user's subscriptions that an earlier version has stored.
    static func earlierKeys(of userName: String) -> Range<StorageKey> { StorageKey.all("subscription", userName) }

    /// The key of the subscription in an earlier version.
    var earlierKey: StorageKey { StorageKey("subscription", userName, subscription.subscriptionID) }

    var userKey: StorageKey { Self.userKey(subscription.subscriptionID, of: userName) }

    var topic: SubscriptionTopic { SubscriptionTopic(of: subscription) }

    /// The key of the subscription.
    var key: StorageKey { topic.key(subscription.subscriptionID, of: userName) }
}

extension StorageSnapshot {
    /// Finds the subscriptions of a user, or of all users if the name is `nil`.
    package func subscriptions(of userName: String?) async throws -> [StoredSubscription] {
        guard let userName else {
            let earlier = try await allEntries(in: StoredSubscription.allEarlierKeys)
            return try await (allEntries(in: StoredSubscription.allKeys) + earlier).map { try $0.decoded() }
        }
        let ranges = [StoredSubscription.userKeys(of: userName), StoredSubscription.earlierKeys(of: userName)]
        let entries = try await load(StorageKeys(entryRanges: ranges)).entryRanges
        let keys = (entries.first ?? []).map { StorageKey($0.text) }
        let texts = keys.isEmpty ? [] : try await load(StorageKeys(entries: keys)).entries
        let found = zip(keys, texts).compactMap { key, text in text.map { StorageEntry(key: key, text: $0) } }
        return try (found + entries.dropFirst().joined()).map { try $0.decoded() }
    }
}

extension StorageSnapshot {
    /// Finds the topics that have subscriptions.
    func subscriptionTopics() async throws -> [SubscriptionTopic] {
        try await allEntries(in: SubscriptionTopic.allVersionKeys).compactMap { SubscriptionTopic($0.key) }
    }
}

extension StorageEntry {
    /// Reads a value from the entry's JSON.
    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(CabinetError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw .damagedEntry(key, text)
        }
    }

    /// The JSON of a value.
    static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
