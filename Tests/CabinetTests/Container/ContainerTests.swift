import Cabinet
import Foundation
import Testing

@Suite("Container and Database")
struct ContainerTests {
    @Test("A container has three databases")
    func databases() throws {
        let container = try Container(identifier: "com.example.shopping", backend: MemoryBackend())
        #expect(container.containerIdentifier == "com.example.shopping")
        #expect(container.publicDatabase.databaseScope == .public)
        #expect(container.privateDatabase.databaseScope == .private)
        #expect(container.sharedDatabase.databaseScope == .shared)
        #expect(container.database(with: .private).description == "com.example.shopping: private database")
    }

    @Test("Scopes, policies and actions have CloudKit's numbers")
    func numbers() {
        #expect(Database.Scope.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(RecordSavePolicy.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(Reference.Action.none.rawValue == 0 && Reference.Action.deleteSelf.rawValue == 1)
        #expect(AccountStatus.available.rawValue == 1 && AccountStatus.noAccount.rawValue == 3)
    }

    @Test("Two containers with one backend see the same records; with two, different ones")
    func worlds() async throws {
        let backend = MemoryBackend()
        let phone = try Container(identifier: "com.example.notes", backend: backend)
        let laptop = try Container(identifier: "com.example.notes", backend: backend)
        let elsewhere = try Container(identifier: "com.example.notes", backend: MemoryBackend())
        let record = try await phone.privateDatabase.save(Record(recordType: "Notes"))
        #expect(try await laptop.privateDatabase.record(for: record.recordID) == record)
        await #expect(throws: CabinetError.self) { try await elsewhere.privateDatabase.record(for: record.recordID) }
    }

    @Test("The default account has a user")
    func defaultAccount() async throws {
        let container = try Container(identifier: "com.example.notes", backend: MemoryBackend())
        let id = try await container.userRecordID()
        #expect(id.recordName == Account.default.userRecordName)
        #expect(try await container.accountStatus() == .available)
    }

    @Test("A closed container is unavailable")
    func closing() async throws {
        let container = try Container(identifier: "com.example.notes", backend: MemoryBackend())
        await container.close()
        let error = await #expect(throws: CabinetError.self) {
            try await container.privateDatabase.save(Record(recordType: "Notes"))
        }
        #expect(error?.code == .serviceUnavailable)
    }

    @Test("A container over another service owns it as it owned its own one", arguments: [true, false])
    func ownership(isOwner: Bool) async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let container =
            isOwner
            ? try Container(identifier: "com.example.notes", owning: service, account: .default, deviceID: "phone")
            : try Container(identifier: "com.example.notes", service: service, deviceID: "phone")
        await container.over(service).close()
        let database = container.privateDatabase
        if isOwner {
            await #expect(throws: CabinetError(.serviceUnavailable)) {
                try await database.save(Record(recordType: "Notes"))
            }
        } else {
            try await database.save(Record(recordType: "Notes"))
        }
    }

    @Test("Without a clock of its own, a container uses the system's")
    func clock() async throws {
        let container = try Container(identifier: "com.example.notes", backend: MemoryBackend())
        let before = Date()
        let record = try await container.privateDatabase.save(Record(recordType: "Notes"))
        let date = try #require(record.creationDate)
        #expect(date >= before && date <= Date())
    }

    @Test("Limits are CloudKit's numbers, or none")
    func limits() {
        #expect(Limits.cloudKit == Limits(itemsPerRequest: 400, bytesPerRecord: 1_000_000, ownedRecordsPerRecord: 750))
        #expect(Limits.default == Limits())
        #expect(
            Limits.server == Limits(itemsPerRequest: 1_000, bytesPerRecord: 1_000_000, workPerRequest: 10_000_000))
        #expect(Limits.none == Limits(workPerRequest: nil))
        #expect(Limits().workPerRequest == 100_000_000)
    }
}
