import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Synchronization
import Testing

@testable import CabinetServer

@Suite("The users of a store are found")
struct LookupTests {
    private let backend = CountingEntries()

    private func courier(of user: String) async throws -> Courier {
        let container = try Container(
            identifier: TestServer.container.identifier, backend: MemoryBackend(),
            account: Account(userRecordName: user))
        let position = try await container.fetchNotifications(since: nil, includingOwnChanges: true).token
        return Courier(userRecordName: user, position: position, date: Date())
    }

    @Test("without reading all of them, and with a courier of each, also if an earlier version has stored them")
    func numbers() async throws {
        let users = (0..<300).map { number in
            AccountStore.User(
                name: "user\(number)", userRecordName: "_\(number)", email: "User\(number)@example.com", roles: [],
                date: Date())
        }
        let courier = try await courier(of: "_0")
        try await backend.write(.public) { transaction in
            try await transaction.apply(
                try users.flatMap { user -> [StorageMutation] in
                    let stored = StoredCourier(
                        value: Courier(userRecordName: user.userRecordName, position: courier.position, date: Date()),
                        user: user.name, creationDate: Date())
                    return [
                        .setEntry(AccountStore.User.key(user.name), try StorageEntry.text(user)),
                        .setEntry(
                            StorageKey("account", "courier", TokenHash(of: "token\(user.name)").text),
                            try StorageEntry.text(stored)),
                    ]
                })
        }
        let accounts = AccountStore(backend)
        let lookups: [UserLookup] = [
            .userRecordName("_7"), .emailAddress("user8@Example.com"), .userRecordName("_7x"), .phoneNumber("_7"),
        ]
        for isFirst in [true, false] {
            backend.count.withLock { $0 = 0 }
            let found = try await accounts.users(lookups, in: TestServer.container)
            #expect(found.map { $0?.userRecordName } == ["_7", "_8", nil, nil])
            if !isFirst { #expect(backend.count.withLock(\.self) <= 8) }
        }
        await expectCode(.invalidArguments) { try await accounts.addUser("other", email: "user8@example.com") }
        await expectCode(.invalidArguments) { try await accounts.addUser("user7") }

        for _ in 0..<2 * AccountStore.maximumCourierCount {
            _ = try await accounts.addCourier(courier, in: TestServer.container)
        }
        backend.count.withLock { $0 = 0 }
        let token = try await accounts.addCourier(courier, in: TestServer.container)
        #expect(backend.count.withLock(\.self) < 50)
        #expect(try await accounts.courier(token, in: TestServer.container) == courier)
        // A courier of an earlier version goes on, and ends with the user's sign-ins as a new one does.
        let earlier = try #require(try await accounts.courier("tokenuser0", in: TestServer.container))
        #expect(try await accounts.replace(earlier, by: earlier, token: "tokenuser0", in: TestServer.container))
        try await accounts.setDisabled(true, user: "user0")
        #expect(try await accounts.courier(token, in: TestServer.container) == nil)
        try await accounts.signOut("user0")
        try await accounts.setDisabled(false, user: "user0")
        for token in [token, "tokenuser0"] {
            #expect(try await accounts.courier(token, in: TestServer.container) == nil)
        }
    }
}

/// A store that counts the entries that are read.
private final class CountingEntries: WrappingBackend {
    let base: any StorageBackend = MemoryBackend()
    let count = Mutex(0)

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await base.read(database) { [self] in try await body(Snapshot(snapshot: $0, backend: self)) }
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database) { [self] in try await body(Transaction(base: $0, backend: self)) }
    }

    private struct Snapshot: WrappingSnapshot {
        let snapshot: any StorageSnapshot
        let backend: CountingEntries

        func load(_ keys: StorageKeys) async throws -> StorageValues {
            backend.count.withLock { $0 += keys.entries.count }
            return try await snapshot.load(keys)
        }

        func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
            let entries = try await snapshot.entries(in: range, limit: limit)
            backend.count.withLock { $0 += entries.count }
            return entries
        }
    }

    private struct Transaction: WrappingTransaction {
        let base: any StorageTransaction
        let backend: CountingEntries

        func load(_ keys: StorageKeys) async throws -> StorageValues {
            try await Snapshot(snapshot: base, backend: backend).load(keys)
        }

        func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
            try await Snapshot(snapshot: base, backend: backend).entries(in: range, limit: limit)
        }
    }
}
