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
        self.userRecordName = userRecordName
        self.position = position
        self.date = date
    }
}

/// The couriers of a container, in the store that all servers share.
public protocol CourierStore: Sendable {
    /// Adds a courier.
    ///
    /// - Returns: A token of at least 128 random bits, which alone reaches the courier.
    /// - Throws: The errors of the store, as the other functions do.
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

    /// The number of couriers among which a new one removes those that have expired.
    private static let checkedCouriers = 16
    /// The length of the part of a token that all couriers of a user have in common.
    private static let userPartLength = 16

    /// The key begins with the part of the token that names the user; a token of an earlier version has none.
    static func key(_ token: String) -> StorageKey {
        let (parts, hash) = (token.split(separator: "."), TokenHash(of: token).text)
        return parts.count == 2 && parts[1].utf8.count == userPartLength
            ? StorageKey("account", "courier", String(parts[1]), hash) : StorageKey("account", "courier", hash)
    }

    /// Adds a courier, removes some of those that have expired, and returns its token.
    ///
    /// The store has only the token's hash.
    ///
    /// - Throws: The errors of the store.
    public func addCourier(_ courier: Courier, in container: WireContainer) async throws -> String {
        try await addLookups()
        let user = courier.userRecordName
        let userPart = String(TokenHash(of: user).text.prefix(Self.userPartLength))
        let (token, now) = ("\(TokenHash.newToken()).\(userPart)", now())
        try await backend.write(Self.database) { transaction in
            let name = try await transaction.users([.userRecordName(user)]).first??.name
            let own = try await transaction.entries(in: StorageKey.all("account", "courier", userPart), limit: .max)
                .couriers.filter { $0.courier.value.userRecordName == user }
                .sorted { $0.courier.value.date < $1.courier.value.date }
            let surplus = own.prefix(max(0, own.count - Self.maximumCourierCount + 1))
            let expired = try await transaction.entries(
                of: StorageKey.all("account", "courier"),
                from: StorageKey("account", "courier", TokenHash(of: token).text), limit: Self.checkedCouriers
            ).couriers.filter { $0.courier.expiration <= now }
            let new = StoredCourier(value: courier, user: name, creationDate: now)
            try await transaction.apply(
                Set((expired + surplus).map(\.key)).map { .setEntry($0, nil) }
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
        try await entries(in: StorageKey.all("account", "courier"), limit: .max).couriers
    }
}

extension [StorageEntry] {
    /// The couriers that the entries are, with their keys.
    fileprivate var couriers: [(key: StorageKey, courier: StoredCourier)] {
        get throws { try map { (key: $0.key, courier: try StorageEntry.value($0.text)) } }
    }
}
