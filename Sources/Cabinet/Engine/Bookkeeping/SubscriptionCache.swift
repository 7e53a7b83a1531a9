import Synchronization

/// Decodes subscriptions, each text once, because every save loads all subscriptions of its database and they rarely change.
///
/// The cache is emptied when it reaches its limit.
final class SubscriptionCache: Sendable {
    /// The cache of the process.
    static let shared = SubscriptionCache()

    private struct Content {
        /// The subscriptions by the texts of their entries; `nil` for a damaged entry.
        var subscriptions: [ScalarText: StoredSubscription?] = [:]
        var size = 0
        var decodingCount = 0
    }

    private let content = Mutex(Content())
    private let countLimit: Int
    /// The maximum memory of the subscriptions, in bytes.
    private let sizeLimit: Int

    init(countLimit: Int = 10_000, sizeLimit: Int = 8 << 20) {
        self.countLimit = countLimit
        self.sizeLimit = sizeLimit
    }

    /// The number of cached subscriptions, an estimate of their memory in bytes, and the number of texts decoded so far.
    var statistics: (count: Int, size: Int, decodingCount: Int) {
        content.withLock { ($0.subscriptions.count, $0.size, $0.decodingCount) }
    }

    /// Returns the subscriptions of entries that can be decoded.
    ///
    /// A damaged entry must not keep other users from saving; a verification reports it.
    func subscriptions(in entries: [StorageEntry]) -> [StoredSubscription] {
        entries.compactMap(subscription)
    }

    private func subscription(in entry: StorageEntry) -> StoredSubscription? {
        let key = ScalarText(text: entry.text)
        if let known = content.withLock({ $0.subscriptions[key] }) { return known }
        let decoded: StoredSubscription? = try? entry.decoded()
        // The text, and about three times as much for the decoded value.
        let size = 256 + 4 * entry.text.utf8.count
        content.withLock { content in
            content.decodingCount += 1
            guard size <= sizeLimit, countLimit > 0, content.subscriptions[key] == nil else { return }
            if content.subscriptions.count == countLimit || content.size + size > sizeLimit {
                content.subscriptions = [:]
                content.size = 0
            }
            content.subscriptions[key] = .some(decoded)
            content.size += size
        }
        return decoded
    }
}
