import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetCloudKit
@testable import CabinetICloud

@Suite("A container in iCloud")
struct ICloudContainerTests {
    @Test("has the identifier and the user of CloudKit's container")
    func identity() async throws {
        let container = try await ICloudWorld().container()
        #expect(container.containerIdentifier == "iCloud.com.example.test")
        #expect(try await container.userRecordID().recordName == "_anna")
    }

    @Test("reads the public database without an account, and nothing else")
    func noAccount() async throws {
        let container = try await ICloudWorld(account: nil).container()
        #expect(try await container.accountStatus() == .noAccount)
        let id = RecordID(recordName: "a")
        #expect(await error { try await container.publicDatabase.record(for: id) }?.code == .unknownItem)
        #expect(await error { try await container.privateDatabase.record(for: id) }?.code == .notAuthenticated)
        let record = Record(recordType: "Items")
        #expect(await error { try await container.publicDatabase.save(record) }?.code == .notAuthenticated)
    }

    @Test("refuses to act for another user than the one that is signed in")
    func otherUser() async throws {
        let world = ICloudWorld()
        let container = try Container(iCloud: world.cloud, userRecordName: "_ben")
        let error = await error { try await container.privateDatabase.save(Record(recordType: "Items")) }
        #expect(error?.code == .notAuthenticated)
        let other = try await CKContainer(identifier: "iCloud.com.example.test", registry: world.registry)
            .privateCloudDatabase.allRecordZones()
        #expect(other.count == 1)
    }

    @Test("refuses requests after the account has changed")
    func accountChange() async throws {
        let world = ICloudWorld()
        let container = try await world.container()
        try await container.privateDatabase.save(Record(recordType: "Items"))
        world.use(Account(userRecordName: "_ben"))
        var code: CabinetError.Code?
        // The notification arrives on another task.
        for _ in 0..<20_000 where code == nil {
            NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
            try await Task.sleep(for: .milliseconds(10))
            code = await error { try await container.privateDatabase.allRecordZones() }?.code
        }
        #expect(code == .notAuthenticated)
    }

    @Test("asks for the user again if the account changes while it asks")
    func accountChangeWhileAsking() async throws {
        let names = Mutex(["_anna", "_ben"])
        let change = Mutex<(@Sendable () -> Void)?>(nil)
        let account = ICloudAccount {
            let name = names.withLock { $0.removeFirst() }
            let body = change.withLock { body in
                defer { body = nil }
                return body
            }
            body?()
            return name
        }
        // The account changes after its name was read.
        change.withLock { body in body = { [weak account] in account?.forgetUser() } }
        let codes: KeyValuePairs<String, CabinetError.Code?> = ["_anna": .notAuthenticated, "_ben": nil]
        for (name, code) in codes {
            let caller = Caller(account: Account(userRecordName: name), deviceID: "device")
            #expect(await error { try await account.check(caller) }?.code == code)
        }
    }

    @Test("fails requests after it was closed, and ends its signals")
    func closing() async throws {
        let container = try await ICloudWorld().container()
        let signals = try container.signals(of: .private)
        await container.close()
        for await _ in signals {}
        #expect(await error { try await container.privateDatabase.allRecordZones() }?.code == .serviceUnavailable)
    }

    @Test("passes what CloudKit refuses on by its code")
    func refusals() async throws {
        let container = try await ICloudWorld().container()
        let changes = await error {
            try await container.privateDatabase.recordZoneChanges(inZoneWith: .default, since: nil)
        }
        #expect(changes?.code == .serverRejectedRequest)
        #expect(changes?.message.contains("default zone") == true)
        let zone = await error { try await container.publicDatabase.save(RecordZone(zoneName: "Lists")) }
        #expect(zone?.code == .badDatabase)
    }
}
