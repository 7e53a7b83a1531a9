/// The subscriptions that the changes of a transaction may fire.
///
/// A transaction loads the versions of the topics of its changes. It loads the subscriptions of a topic only if the cache does not
/// have them in this version.
struct LoadedSubscriptions: Sendable {
    private let database: DatabaseKey
    private let cache: SubscriptionCache
    /// The topics whose versions are loaded.
    private var topics: [SubscriptionTopic]
    /// The topics whose subscriptions are not loaded yet.
    private var missing: [SubscriptionCache.Key] = []
    /// The lists with subscribers.
    private var lists: [SubscriberList] = []
    /// The number of stored subscriptions of each topic.
    private var counts: [SubscriptionTopic: Int] = [:]
    /// The subscriptions that an earlier version has stored.
    private(set) var earlier: [StoredSubscription] = []

    /// Creates the subscriptions of a database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - topics: The topics whose versions are loaded.
    ///   - versions: The versions, or `nil` for topics without subscriptions.
    ///   - earlier: The entries of an earlier version.
    ///   - cache: The subscriptions that are known by their versions.
    init(
        of database: DatabaseKey, _ topics: [SubscriptionTopic] = [], _ versions: ArraySlice<String?> = [],
        earlier: [StorageEntry], cache: SubscriptionCache
    ) {
        self.database = database
        self.topics = topics
        self.cache = cache
        add(topics, versions)
        if earlier.isEmpty { return }
        // They may belong to any topic; the notifier compares them with the changes. Those under a wrong key stay.
        let list = SubscriberList(earlier)
        lists.append(list)
        let keys = Set(earlier.map(\.key))
        self.earlier = list.subscribers.map(\.stored).filter { keys.contains($0.earlierKey) }
    }

    /// All subscribers, in the order in which they fire.
    var subscribers: [Subscriber] {
        if lists.count < 2 { return lists.first?.subscribers ?? [] }
        return lists.flatMap(\.subscribers).sorted { $0.order < $1.order }
    }

    /// Returns the mutations that remove expired subscriptions, and move those of an earlier version.
    func mutations(removingExpired notifier: Notifier) throws -> [StorageMutation] {
        var mutations = SubscriptionMutations()
        try mutations.move(earlier)
        notifier.removeExpired(from: &mutations)
        return mutations.mutations(counts)
    }

    private mutating func add(_ topics: [SubscriptionTopic], _ versions: ArraySlice<String?>) {
        for index in topics.indices {
            let topic = topics[index]
            guard index < versions.count, let version = versions[versions.startIndex + index] else { continue }
            let key = SubscriptionCache.Key(database: database, topic: topic, version: version)
            if let list = cache.list(key) { add(list, topic) } else { missing.append(key) }
        }
    }

    /// Loads the subscriptions of further topics, and those that the cache does not have.
    mutating func load(_ further: [SubscriptionTopic] = [], from transaction: any StorageTransaction) async throws {
        var unknown = further.isEmpty ? [] : Array(Set(further).subtracting(topics))
        while !unknown.isEmpty || !missing.isEmpty {
            let keys = missing
            missing = []
            let values = try await transaction.load(
                StorageKeys(entries: unknown.map(\.versionKey), entryRanges: keys.map(\.topic.keys)))
            for (key, entries) in zip(keys, values.entryRanges) { add(cache.list(key, of: entries), key.topic) }
            add(unknown, values.entries[...])
            topics += unknown
            unknown = []
        }
    }

    private mutating func add(_ list: SubscriberList, _ topic: SubscriptionTopic) {
        lists.append(list)
        counts[topic] = list.entryCount
    }
}
