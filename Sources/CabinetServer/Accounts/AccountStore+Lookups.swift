public import Cabinet
public import CabinetWire
import Foundation
import Synchronization

/// The entries by which users are found, without reading those of all users.
extension AccountStore {
    /// The entry of a store all of whose users have such entries.
    private static let mark = StorageKey("account", "user-of")

    /// Returns what is known of users by their record names and addresses; `nil` for unknown and disabled ones.
    ///
    /// - Parameters:
    ///   - lookups: The descriptions; a phone number finds no user.
    ///   - container: The container, whose users are those of the store.
    /// - Throws: The errors of the store.
    public func users(_ lookups: [UserLookup], in container: WireContainer) async throws -> [UserIdentity?] {
        try await addLookups()
        let users = try await backend.read(Self.database) { try await $0.users(lookups) }
        return zip(lookups, users).map { lookup, user in
            guard let user, !user.isDisabled else { return nil }
            var address: String?
            if case .emailAddress(let text) = lookup { address = text }
            return UserIdentity(userRecordName: user.userRecordName, emailAddress: address)
        }
    }

    /// Adds the entries of the users that an earlier version has stored.
    func addLookups() async throws {
        if hasLookups.load(ordering: .relaxed) { return }
        let marks = StorageKeys(entries: [Self.mark])
        if try await backend.read(Self.database, { try await $0.load(marks).entries == [nil] }) {
            try await backend.write(Self.database) { transaction in
                let entries = try await transaction.entries(in: StorageKey.all("account", "user"), limit: .max)
                let mutations = try entries.flatMap { entry in
                    let user: User = try StorageEntry.value(entry.text)
                    return try user.lookupEntries
                }
                try await transaction.apply(mutations + [.setEntry(Self.mark, "")])
            }
        }
        hasLookups.store(true, ordering: .relaxed)
    }
}

extension AccountStore.User {
    /// The entries that have the user's name under the record name and the address.
    var lookupEntries: [StorageMutation] {
        get throws {
            let lookups = [.userRecordName(userRecordName)] + (email.map { [UserLookup.emailAddress($0)] } ?? [])
            return try lookups.map { .setEntry(Self.key(of: $0), try StorageEntry.text(name)) }
        }
    }

    /// The key is a checksum, because a text of a client can be longer than a key.
    fileprivate static func key(of lookup: UserLookup) -> StorageKey {
        let (kind, text) =
            switch lookup {
            case .userRecordName(let name): ("record", name)
            case .emailAddress(let address): ("address", address.lowercased())
            case .phoneNumber(let number): ("phone", number)
            }
        return StorageKey("account", "user-of", kind, Asset.Checksum(of: Data(text.utf8)).description)
    }
}

extension StorageSnapshot {
    /// Returns users by their record names and addresses, in the order of the lookups.
    func users(_ lookups: [UserLookup]) async throws -> [AccountStore.User?] {
        let names: [String?] = try await values(lookups.map(AccountStore.User.key(of:)))
        let users: [AccountStore.User?] = try await values(names.compactMap { $0.map(AccountStore.User.key) })
        var rest = users.makeIterator()
        return names.map { name in name == nil ? nil : rest.next() ?? nil }
    }

    private func values<Value: Decodable>(_ keys: [StorageKey]) async throws -> [Value?] {
        try await load(StorageKeys(entries: keys)).entries.map { text in try text.map { try StorageEntry.value($0) } }
    }
}
