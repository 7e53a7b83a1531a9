import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("Keys of zones, as clients store and read them")
struct ZoneKeyTests {
    private let service: LocalDatabaseService
    private let anna = Caller(account: Account(userRecordName: "_anna"), deviceID: "1")
    private let ben = Caller(account: Account(userRecordName: "_ben"), deviceID: "2")
    private let zoneID = RecordZone.ID(zoneName: "Lists")

    init() async throws {
        service = try LocalDatabaseService(backend: MemoryBackend())
        _ = try await service.perform(
            ModifyZonesRequest(zonesToSave: [RecordZone(zoneID: zoneID)]), for: anna)
    }

    private func key(_ id: String = "k", number: Int64 = 1, for user: String = "_anna", size: Int = 1) -> WrappedKey {
        WrappedKey(
            keyID: id, number: number, recipient: KeyRecipient(userRecordName: user, publicKey: Data([1])),
            sender: Data([2]), ciphertext: Data(count: size))
    }

    private func add(_ key: WrappedKey, in zoneID: RecordZone.ID? = nil) async throws {
        let keys = ZoneKeys(zoneID: zoneID ?? self.zoneID, keys: [key])
        _ = try await service.perform(ModifyZonesRequest(keysToAdd: [keys]), for: anna)
    }

    private func keys(of zoneID: RecordZone.ID, in scope: DatabaseScope, for caller: Caller) async throws -> [String] {
        let request = FetchZonesRequest(scope: scope, zoneIDs: [zoneID], asksForKeys: true)
        return try await service.perform(request, for: caller).keys?.flatMap(\.keys).map(\.keyID) ?? []
    }

    private func lastNumber(for caller: Caller) async throws -> Int64? {
        let shared = RecordZone.ID(zoneName: "Lists", ownerName: "_anna")
        let request = FetchZonesRequest(scope: .shared, zoneIDs: [shared], asksForKeys: true)
        return try await service.perform(request, for: caller).keys?.first?.lastNumber
    }

    @Test("that no client may store are refused, and change nothing")
    func refused() async throws {
        let numbers = [Int64.min, 0, Int64(Int32.max) + 1, .max]
        for key in numbers.map({ key(number: $0) }) + [key(""), key(size: 0), key(size: 1_025), key(for: "\0")] {
            await #expect(throws: CabinetError(.invalidArguments)) { try await add(key) }
        }
        await #expect(throws: CabinetError(.zoneNotFound)) {
            try await add(key(), in: RecordZone.ID(zoneName: "None"))
        }
        let keys = [ZoneKeys(zoneID: zoneID, keys: [key()])]
        let new = RecordZone(zoneName: "New")
        let mixed = ModifyZonesRequest(zonesToSave: [new], keysToAdd: keys)
        await #expect(throws: CabinetError(.invalidArguments)) { try await service.perform(mixed, for: anna) }
        let zones = try await service.perform(FetchZonesRequest(zoneIDs: [new.zoneID]), for: anna)
        #expect(throws: CabinetError(.zoneNotFound)) { try zones.results.first?.get() }
        let open = ModifyZonesRequest(scope: .public, keysToAdd: [ZoneKeys(keys: [key()])])
        await #expect(throws: CabinetError(.badDatabase)) { try await service.perform(open, for: anna) }
        #expect(try await self.keys(of: zoneID, in: .private, for: anna) == [])
    }

    @Test("are read by participants if they are their own, and by no other user")
    func participants() async throws {
        for user in ["_anna", "_ben", "_cleo"] { try await add(key("for \(user)", for: user)) }
        let shared = RecordZone.ID(zoneName: "Lists", ownerName: "_anna")
        #expect(try await keys(of: shared, in: .shared, for: ben) == [])
        var share = Share(recordZoneID: zoneID)
        share.addParticipant(Share.Participant(userRecordName: "_ben"))
        let backend = service.backend
        func container(_ caller: Caller) throws -> Container {
            try Container(identifier: "com.example.keys", backend: backend, account: caller.account ?? .default)
        }
        share = try await container(anna).privateDatabase.save(share)
        _ = try await container(ben).accept(try await container(ben).shareMetadata(for: try #require(share.url)))
        #expect(try await keys(of: shared, in: .shared, for: ben) == ["for _ben"])
        #expect(try await lastNumber(for: ben) == 1)
        try await add(key("later", number: 2))
        #expect(try await keys(of: shared, in: .shared, for: ben) == ["for _ben"])
        #expect(try await lastNumber(for: ben) == 2)
        #expect(try await keys(of: zoneID, in: .private, for: anna).count == 4)
        let own = ModifyZonesRequest(scope: .shared, keysToAdd: [ZoneKeys(zoneID: shared, keys: [key("x")])])
        await #expect(throws: CabinetError(.permissionFailure)) { try await service.perform(own, for: ben) }
        try await container(anna).privateDatabase.deleteRecord(withID: share.recordID)
        #expect(try await keys(of: shared, in: .shared, for: ben) == [])
    }

    private func keyring(_ numbers: [Int64], lastNumber: Int64? = nil) throws -> ZoneKeyring {
        let keys = numbers.enumerated().map { key("k\($0)", number: $1) }
        return try ZoneKeyring(
            ZoneKeys(keys: keys, lastNumber: lastNumber), of: "_anna", UserKeys(secretKeys: []), from: [],
            context: Data(), cipher: TestEncryption())
    }

    @Test(
        "with a number that the others cannot have led to do not count",
        arguments: [
            ([], 1), ([1], 2), ([2, 1], 3), ([1, 1], 2), ([.max], 1), ([1, 2, .max], 3), ([1, Int64(Int32.max)], 2),
            ([.min, 0, -1], 1),
        ] as [([Int64], Int64)])
    func numbers(numbers: [Int64], next: Int64) throws {
        #expect(try keyring(numbers).nextNumber == next)
    }

    @Test("with the greatest number of all end a participant's rotation with an error")
    func lastNumber() throws {
        #expect(throws: CabinetError(.internalError)) { try keyring([1], lastNumber: .max).nextNumber }
    }
}
