import Foundation

extension StoredSubscription {
    /// The keys of all subscriptions.
    static let allKeys = StorageKey.all("subscription")

    /// The keys of a user's subscriptions.
    static func keys(of userName: String) -> Range<StorageKey> { StorageKey.all("subscription", userName) }

    /// The key of a subscription's entry.
    static func key(_ id: Subscription.ID, of userName: String) -> StorageKey {
        StorageKey("subscription", userName, id)
    }
}

extension StorageSnapshot {
    /// Finds the subscriptions of a user, or of all users if the name is `nil`.
    package func subscriptions(of userName: String?) async throws -> [StoredSubscription] {
        let range = userName.map(StoredSubscription.keys) ?? StoredSubscription.allKeys
        return try await allEntries(in: range).map { try $0.decoded() }
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
