/// Changes of stored subscriptions, as mutations of their entries and of the versions of their topics.
package struct SubscriptionMutations: Sendable {
    private var entries: [StorageMutation] = []
    /// The keys of the subscriptions that each changed topic gains.
    private var added: [SubscriptionTopic: Set<StorageKey>] = [:]
    /// The number of stored subscriptions that topics lose.
    private var removedCounts: [SubscriptionTopic: Int] = [:]

    package init() {}

    /// Stores a subscription, which must not exist under another topic.
    package mutating func add(_ stored: StoredSubscription) throws {
        let key = stored.key
        entries.append(.setEntry(key, try StorageEntry.text(of: stored)))
        entries.append(.setEntry(stored.userKey, key.text))
        added[stored.topic, default: []].insert(key)
    }

    /// Removes a subscription.
    package mutating func remove(_ stored: StoredSubscription) {
        remove(stored.key, id: stored.subscription.subscriptionID, of: stored.userName)
        remove(stored.earlierKey)
    }

    /// Removes the subscription under a key, but not the entry by which its user finds it.
    mutating func remove(_ key: StorageKey) {
        if StoredSubscription.allKeys.contains(key), let topic = SubscriptionTopic(key) {
            if added[topic, default: []].remove(key) == nil { removedCounts[topic, default: 0] += 1 }
        } else if !StoredSubscription.allEarlierKeys.contains(key) {
            // The text of a damaged entry is not the key of a subscription.
            return
        }
        entries.append(.setEntry(key, nil))
    }

    /// Removes the subscription under a key, and the entry by which its user finds it.
    mutating func remove(_ key: StorageKey, id: Subscription.ID, of userName: String) {
        remove(key)
        entries.append(.setEntry(StoredSubscription.userKey(id, of: userName), nil))
    }

    /// Stores the subscriptions that an earlier version has stored under other keys.
    mutating func move(_ earlier: [StoredSubscription]) throws {
        for stored in earlier {
            entries.append(.setEntry(stored.earlierKey, nil))
            try add(stored)
        }
    }

    /// Returns the mutations.
    ///
    /// - Parameter counts: The numbers of stored subscriptions of the topics that lose some.
    func mutations(_ counts: [SubscriptionTopic: Int]) -> [StorageMutation] {
        // Nearly every save has none.
        if entries.isEmpty { return [] }
        return entries
            + added.map { topic, keys in
                let isEmpty = keys.isEmpty && counts[topic, default: 0] <= removedCounts[topic, default: 0]
                return .setEntry(topic.versionKey, isEmpty ? nil : SubscriptionTopic.newVersion())
            }
    }

    /// Returns the mutations, for a transaction that has not loaded the topics.
    package func mutations(in snapshot: any StorageSnapshot) async throws -> [StorageMutation] {
        var counts: [SubscriptionTopic: Int] = [:]
        for (topic, keys) in added where keys.isEmpty {
            let limit = removedCounts[topic, default: 0] + 1
            counts[topic] = try await snapshot.entries(in: topic.keys, limit: limit).count
        }
        return mutations(counts)
    }
}

extension StorageSnapshot {
    /// Returns the mutations by which the entries of users, and the versions of topics, agree with the stored subscriptions.
    package func mutationsRepairingSubscriptions() async throws -> [StorageMutation] {
        var missing: [StorageKey: String] = [:]
        var topics: Set<StorageKey> = []
        for entry in try await allEntries(in: StoredSubscription.allKeys) {
            let names = entry.key.names
            guard names.count == 5, let topic = SubscriptionTopic(entry.key) else { continue }
            missing[StoredSubscription.userKey(names[4], of: names[3])] = entry.key.text
            topics.insert(topic.versionKey)
        }
        var mutations: [StorageMutation] = []
        for entry in try await allEntries(in: StoredSubscription.allUserKeys) {
            guard let text = missing[entry.key] else {
                mutations.append(.setEntry(entry.key, nil))
                continue
            }
            if text == entry.text { missing[entry.key] = nil }
        }
        mutations += missing.sorted { $0.key < $1.key }.map { .setEntry($0.key, $0.value) }
        let versions = Set(try await allEntries(in: SubscriptionTopic.allVersionKeys).map(\.key))
        mutations += versions.subtracting(topics).sorted().map { .setEntry($0, nil) }
        mutations += topics.subtracting(versions).sorted().map { .setEntry($0, SubscriptionTopic.newVersion()) }
        return mutations
    }
}
