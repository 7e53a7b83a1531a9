public import Cabinet
public import CabinetWire
public import Foundation

/// The notifications of one program of a user, in CloudKit's dialect: which ones it has got.
public struct Courier: Sendable, Hashable, Codable {
    /// The record name of the user.
    public let userRecordName: String
    /// The position after the last notification that was delivered.
    public var position: NotificationToken
    /// The date of the last delivery, or of the creation.
    public var date: Date

    /// Creates a courier.
    public init(userRecordName: String, position: NotificationToken, date: Date) {
        (self.userRecordName, self.position, self.date) = (userRecordName, position, date)
    }
}

/// The couriers of a container, in the store that all servers share.
public protocol CourierStore: Sendable {
    /// Adds a courier.
    ///
    /// - Returns: A token of at least 128 random bits, which alone reaches the courier.
    func addCourier(_ courier: Courier, in container: WireContainer) async throws -> String

    /// Returns the courier of a token; `nil` if there is none, or its user is disabled.
    func courier(_ token: String, in container: WireContainer) async throws -> Courier?

    /// Replaces a courier, if it is still the expected one.
    ///
    /// - Returns: Whether it was, so that no notification is delivered twice.
    func replace(
        _ courier: Courier, by new: Courier, token: String, in container: WireContainer
    ) async throws -> Bool
}

extension AccountStore: CourierStore {
    /// The largest number of couriers of a user; a further one replaces the one that was idle for longest.
    public static let maximumCourierCount = 20

    private static func key(_ token: String) -> StorageKey {
        StorageKey("account", "courier", TokenHash(of: token).text)
    }

    /// Adds a courier, and returns its token.
    ///
    /// The store has only the token's hash.
    public func addCourier(_ courier: Courier, in container: WireContainer) async throws -> String {
        let token = TokenHash.newToken()
        try await backend.write(Self.database) { transaction in
            let own = try await transaction.couriers(of: courier.userRecordName)
                .sorted { $0.courier.date < $1.courier.date }
            let surplus = own.prefix(max(0, own.count - Self.maximumCourierCount + 1))
            try await transaction.apply(
                surplus.map { .setEntry($0.key, nil) } + [.setEntry(Self.key(token), try StorageEntry.text(courier))])
        }
        return token
    }

    /// Returns the courier of a token; `nil` if there is none, or its user is disabled.
    public func courier(_ token: String, in container: WireContainer) async throws -> Courier? {
        let courier: Courier? = try await backend.read(Self.database) { try await $0.value(Self.key(token)) }
        guard let courier else { return nil }
        let isDisabled = try await users().contains { $0.userRecordName == courier.userRecordName && $0.isDisabled }
        return isDisabled ? nil : courier
    }

    /// Replaces a courier, if it is still the expected one.
    public func replace(
        _ courier: Courier, by new: Courier, token: String, in container: WireContainer
    ) async throws -> Bool {
        try await backend.write(Self.database) { transaction in
            guard try await transaction.value(Self.key(token)) == courier else { return false }
            try await transaction.apply([.setEntry(Self.key(token), try StorageEntry.text(new))])
            return true
        }
    }
}

extension StorageSnapshot {
    /// Returns the couriers of a user, with the keys of their entries.
    func couriers(of userRecordName: String) async throws -> [(key: StorageKey, courier: Courier)] {
        let entries = try await entries(in: StorageKey.all("account", "courier"), limit: .max)
        return try entries.map { (key: $0.key, courier: try StorageEntry.value($0.text)) }
            .filter { $0.courier.userRecordName == userRecordName }
    }
}
