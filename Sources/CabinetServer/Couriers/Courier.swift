public import Cabinet
public import CabinetWire
public import Foundation

/// The notifications of one program of a user, in CloudKit's dialect: which ones it has got.
public struct Courier: Sendable, Hashable, Codable {
    /// The record name of the user.
    public let userRecordName: String
    /// The position after the last notification that was delivered.
    public var position: NotificationToken
    /// The date of the last delivery, of the last poll with a precision of a day, or of the creation.
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

    /// Returns the courier of a token; `nil` if there is none, it has expired, or its user is disabled.
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
    /// The seconds without a poll after which a courier expires: two weeks.
    public static let courierTime: TimeInterval = 14 * 86_400
    /// The seconds after which a courier expires whose user has no account here, but signs in with the tokens of an identity provider: a day.
    ///
    /// The provider alone knows when such a user is disabled.
    public static let foreignCourierTime: TimeInterval = 86_400

    private static func key(_ token: String) -> StorageKey {
        StorageKey("account", "courier", TokenHash(of: token).text)
    }

    /// Adds a courier, removes those that have expired, and returns its token.
    ///
    /// The store has only the token's hash.
    public func addCourier(_ courier: Courier, in container: WireContainer) async throws -> String {
        let (token, now) = (TokenHash.newToken(), now())
        try await backend.write(Self.database) { transaction in
            let users: [User] = try await transaction.entries(in: StorageKey.all("account", "user"), limit: .max)
                .map { try StorageEntry.value($0.text) }
            let name = users.first { $0.userRecordName == courier.userRecordName }?.name
            let all = try await transaction.couriers()
            let expired = all.filter { $0.courier.expiration <= now }
            let own = all.filter {
                $0.courier.value.userRecordName == courier.userRecordName && $0.courier.expiration > now
            }
            .sorted { $0.courier.value.date < $1.courier.value.date }
            let surplus = own.prefix(max(0, own.count - Self.maximumCourierCount + 1))
            let new = StoredCourier(value: courier, user: name, creationDate: now)
            try await transaction.apply(
                (expired + surplus).map { .setEntry($0.key, nil) }
                    + [.setEntry(Self.key(token), try StorageEntry.text(new))])
        }
        return token
    }

    /// Returns the courier of a token; `nil` if there is none, it has expired, or its user is disabled.
    public func courier(_ token: String, in container: WireContainer) async throws -> Courier? {
        let now = now()
        return try await backend.read(Self.database) { snapshot in
            guard let courier: StoredCourier = try await snapshot.value(Self.key(token)), courier.expiration > now
            else {
                return nil
            }
            guard let name = courier.user else { return courier.value }
            let user: User? = try await snapshot.value(User.key(name))
            return user?.userRecordName == courier.value.userRecordName && user?.isDisabled == false
                ? courier.value : nil
        }
    }

    /// Replaces a courier, if it is still the expected one.
    public func replace(
        _ courier: Courier, by new: Courier, token: String, in container: WireContainer
    ) async throws -> Bool {
        try await backend.write(Self.database) { transaction in
            guard var stored: StoredCourier = try await transaction.value(Self.key(token)), stored.value == courier
            else {
                return false
            }
            stored.value = new
            try await transaction.apply([.setEntry(Self.key(token), try StorageEntry.text(stored))])
            return true
        }
    }
}

/// A courier with the account of its user, by which a poll finds whether the user is disabled.
struct StoredCourier: Codable {
    var value: Courier
    /// The name of the account; `nil` for a user of an identity provider.
    let user: String?
    let creationDate: Date

    var expiration: Date {
        let end = value.date + AccountStore.courierTime
        return user == nil ? min(end, creationDate + AccountStore.foreignCourierTime) : end
    }
}

extension StorageSnapshot {
    /// Returns all couriers, with the keys of their entries.
    func couriers() async throws -> [(key: StorageKey, courier: StoredCourier)] {
        try await entries(in: StorageKey.all("account", "courier"), limit: .max)
            .map { (key: $0.key, courier: try StorageEntry.value($0.text)) }
    }
}
