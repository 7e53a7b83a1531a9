import Synchronization

/// The decoded subscriptions of topics, whose filters are compiled once.
///
/// The version of a topic changes with each change of its subscriptions, also by another process. Versions are random, so that no two
/// stores have a version in common, unless one is a copy of the other.
final class SubscriptionCache: Sendable {
    /// The cache of the process.
    static let shared = SubscriptionCache()

    /// A topic of a database, and its version.
    struct Key: Hashable {
        let database: DatabaseKey
        let topic: SubscriptionTopic
        let version: String
    }

    /// A half of the cache.
    private struct Generation {
        var lists: [Key: SubscriberList] = [:]
        var size = 0
    }

    private struct Content {
        var recent = Generation()
        /// The lists that were used before those of ``recent``.
        var older = Generation()
        var decodingCount = 0
    }

    private let content = Mutex(Content())
    private let countLimit: Int
    /// The maximum memory of the subscriptions, in bytes.
    private let sizeLimit: Int

    init(countLimit: Int = 10_000, sizeLimit: Int = 64 << 20) {
        self.countLimit = countLimit
        self.sizeLimit = sizeLimit
    }

    /// The number of cached lists, an estimate of their memory in bytes, and the number of subscriptions decoded so far.
    var statistics: (count: Int, size: Int, decodingCount: Int) {
        content.withLock { content in
            (
                content.recent.lists.count + content.older.lists.count, content.recent.size + content.older.size,
                content.decodingCount
            )
        }
    }

    /// Returns the subscribers of a topic; `nil` if they are not cached.
    func list(_ key: Key) -> SubscriberList? {
        content.withLock { content in
            if let list = content.recent.lists[key] { return list }
            guard let list = content.older.lists.removeValue(forKey: key) else { return nil }
            content.older.size -= list.size
            add(list, key, &content)
            return list
        }
    }

    /// Decodes the subscriptions of a topic, and caches them unless they are larger than half of the cache.
    func list(_ key: Key, of entries: [StorageEntry]) -> SubscriberList {
        let list = SubscriberList(entries)
        content.withLock { content in
            content.decodingCount += entries.count
            if list.size <= sizeLimit / 2, countLimit > 1 { add(list, key, &content) }
        }
        return list
    }

    private func add(_ list: SubscriberList, _ key: Key, _ content: inout Content) {
        if content.recent.lists.count >= countLimit / 2 || content.recent.size + list.size > sizeLimit / 2 {
            // The lists that were used least recently are dropped.
            content.older = content.recent
            content.recent = Generation()
        }
        if content.recent.lists.updateValue(list, forKey: key) == nil { content.recent.size += list.size }
    }
}
