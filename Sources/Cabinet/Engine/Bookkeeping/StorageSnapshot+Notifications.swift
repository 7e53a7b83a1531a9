import Foundation

/// The entries of a user's notifications.
///
/// Most have their numbers as keys. Notifications that replace older ones have their replacement keys instead, so that replacing
/// needs no search.
extension StorageSnapshot {
    /// Reads a user's notifications in ascending order of their numbers.
    ///
    /// - Parameters:
    ///   - userName: The user.
    ///   - number: The number that all exceed.
    ///   - limit: The maximum number of notifications to return; at least 1.
    func notifications(to userName: String, after number: Int64, limit: Int) async throws -> [StoredNotification] {
        let numbered = StorageKey.all("notification", userName)
        let start = StorageKey("notification", userName, StorageKey.name(max(number, 0))).next
        let found =
            try await entries(in: start..<max(start, numbered.upperBound), limit: limit)
            + allEntries(in: StorageKey.all("latest", userName))
        return try found.map { try $0.decoded(as: StoredNotification.self) }
            .filter { $0.sequenceNumber > number }
            .sorted { $0.sequenceNumber < $1.sequenceNumber }
            .prefix(limit).map(\.self)
    }

    /// Returns the highest number of a user's forgotten notifications; 0 if none was forgotten.
    func notificationExpirationNumber(of userName: String) async throws -> Int64 {
        let key = StoredNotification.expirationKey(of: userName)
        guard let text = try await load(StorageKeys(entries: [key])).entries.first ?? nil else { return 0 }
        guard let number = Int64(text) else { throw CabinetError.damagedEntry(key, text) }
        return number
    }
}

extension StorageSnapshot {
    /// Returns the mutations that forget a user's first notifications.
    ///
    /// - Parameters:
    ///   - notifications: The notifications, in ascending order of their numbers.
    ///   - userName: The user.
    func mutations(
        forgetting notifications: [StoredNotification], to userName: String
    ) async throws -> [StorageMutation] {
        guard let last = notifications.last?.sequenceNumber else { return [] }
        let expiration = max(try await notificationExpirationNumber(of: userName), last)
        return notifications.map { .setEntry($0.key, nil) }
            + [.setEntry(StoredNotification.expirationKey(of: userName), "\(expiration)")]
    }
}

extension StoredNotification {
    /// The key of the notification's entry.
    var key: StorageKey {
        replacementKey.map { StorageKey("latest", userName, $0) }
            ?? StorageKey("notification", userName, StorageKey.name(sequenceNumber))
    }

    /// The keys of all notifications that are stored under their numbers.
    static let allNumberedKeys = StorageKey.all("notification")

    /// The keys of all notifications that are stored under their replacement keys.
    static let allLatestKeys = StorageKey.all("latest")

    /// The keys of the numbers up to which users' notifications were forgotten.
    static let allExpirationKeys = StorageKey.all("forgottenNotification")

    /// The key of the number up to which a user's notifications were forgotten.
    static func expirationKey(of userName: String) -> StorageKey {
        StorageKey("forgottenNotification", userName)
    }
}
