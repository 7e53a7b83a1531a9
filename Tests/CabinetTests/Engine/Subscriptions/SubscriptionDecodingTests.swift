import Foundation
import Testing

@testable import Cabinet

/// A save decodes the subscriptions of its topics unless the cache has them in their version.
@Suite("The decoding of subscriptions")
struct SubscriptionDecodingTests {
    /// Saves ten records with a subscription, changes the subscription, and saves ten more.
    ///
    /// - Returns: The number of times that a subscription was decoded.
    private func decodings(_ cache: SubscriptionCache) async throws -> Int {
        let service = try LocalDatabaseService(
            backend: MemoryBackend(), schema: .growing, limits: .default, changeRetention: ChangeRetention(),
            now: { Date() }, subscriptionCache: cache)
        let database = try Container(identifier: "org.cabinet.tests", service: service).privateDatabase
        for limit in 0..<2 {
            try await database.save(
                QuerySubscription(
                    recordType: "Items", filter: .field("number") > limit, subscriptionID: "large",
                    options: .firesOnRecordCreation))
            for number in 0..<10 {
                var item = Record(recordType: "Items")
                item["number"] = number
                _ = try await database.save(item)
            }
        }
        let container = try Container(identifier: "org.cabinet.tests", backend: service.backend)
        let (notifications, _, _) = try await container.fetchNotifications(since: nil, includingOwnChanges: true)
        #expect(notifications.count == 9 + 8)
        return cache.statistics.decodingCount
    }

    @Test("A subscription is decoded once, and once more when it has changed")
    func once() async throws {
        #expect(try await decodings(SubscriptionCache()) == 2)
    }

    @Test("A save beside a changed subscription of another type decodes nothing")
    func otherTypes() async throws {
        let cache = SubscriptionCache()
        let service = try LocalDatabaseService(
            backend: MemoryBackend(), schema: .growing, limits: .default, changeRetention: ChangeRetention(),
            now: { Date() }, subscriptionCache: cache)
        let database = try Container(identifier: "org.cabinet.tests", service: service).privateDatabase
        for number in 0..<10 {
            try await database.save(
                QuerySubscription(
                    recordType: "Lists", filter: .field("number") > number, options: .firesOnRecordCreation))
            try await database.save(Record(recordType: "Items"))
        }
        #expect(cache.statistics.decodingCount == 0)
    }

    @Test("Without the cache, every save decodes it")
    func withoutCache() async throws {
        #expect(try await decodings(SubscriptionCache(countLimit: 0)) == 20)
    }
}
