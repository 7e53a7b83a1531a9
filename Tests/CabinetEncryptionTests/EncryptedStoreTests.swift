import CabinetEncryption
import CabinetSQLite
import CabinetTools
import Foundation
import Testing

@testable import Cabinet

/// Encrypted values from the program to the bytes on the disk.
@Suite("Encrypted values in a store")
struct EncryptedStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID())")

    private func container(_ backend: any StorageBackend, user: String = "_ann") throws -> Container {
        try Container(
            identifier: "com.example.diary", backend: backend, account: Account(userRecordName: user)
        ).encrypting(with: Encryption(keyStore: FileKeyStore(directory: folder.appendingPathComponent("keys"))))
    }

    @Test("are on the disk as ciphertexts alone, and are read after a restart")
    func files() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appendingPathComponent("store")
        var record = Record(recordType: "Notes", recordID: RecordID(recordName: "n"))
        record["title"] = "a visible title"
        record.encryptedValues["text"] = "the hidden text"
        var container = try container(SQLiteBackend(directory: store))
        try await container.privateDatabase.save(record)
        await container.close()
        let files = try #require(FileManager.default.enumerator(at: store, includingPropertiesForKeys: nil))
        var isVisible = false
        for case let file as URL in files {
            guard let bytes = try? Data(contentsOf: file) else { continue }
            #expect(bytes.range(of: Data("hidden text".utf8)) == nil)
            isVisible = isVisible || bytes.range(of: Data("visible title".utf8)) != nil
        }
        #expect(isVisible)
        container = try self.container(SQLiteBackend(directory: store))
        let found = try await container.privateDatabase.record(for: record.recordID)
        #expect(found.encryptedValues["text"] as String? == "the hidden text")
        await container.close()
    }

    @Test("are encrypted by the same container over another service")
    func otherService() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try container(MemoryBackend())
        let other = container.over(container.service)
        #expect(other.hasKeyStore)
        var record = Record(recordType: "Notes")
        record.encryptedValues["text"] = "the hidden text"
        try await other.privateDatabase.save(record)
        let found = try await container.privateDatabase.record(for: record.recordID)
        #expect(found.encryptedValues["text"] as String? == "the hidden text")
    }

    @Test("are not refused one by one if the key store fails, so that they stay pending")
    func failingKeyStore() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try container(MemoryBackend()).privateDatabase
        var record = Record(recordType: "Notes")
        record.encryptedValues["text"] = "first"
        record = try await database.save(record)
        let keys = folder.appendingPathComponent("keys").path
        for file in try FileManager.default.subpathsOfDirectory(atPath: keys) {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(keys)/\(file)")
        }
        record.encryptedValues["text"] = "second"
        await #expect(throws: CabinetError(.permissionFailure)) {
            try await database.modifyRecords(saving: [record], deleting: [], atomically: false)
        }
    }

    @Test("can be decrypted by the users that the keys were shared with")
    func sharedKeys() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend = MemoryBackend()
        let (ann, ben) = (try container(backend), try container(backend, user: "_ben"))
        let database = ann.privateDatabase
        var record = Record(recordType: "Notes")
        record.encryptedValues["text"] = "for both"
        record = try await database.save(record)
        func keyring(of container: Container) async throws -> ZoneKeyring {
            var request = FetchZonesRequest(in: .private)
            (request.zoneIDs, request.asksForKeys) = ([.default], true)
            let keys = try await database.client.service.perform(request, for: ann.caller).keys ?? []
            let store = FileKeyStore(directory: folder.appendingPathComponent("keys"))
            let user = try #require(container.caller.userRecordName)
            return try ZoneKeyring(
                keys.first ?? ZoneKeys(), of: user,
                try await store.keys(of: user, in: "com.example.diary") { Data() },
                from: [try await ann.keyRecipient().publicKey],
                context: EncryptionContext(keysOf: .default, owner: "_ann", in: "com.example.diary").bytes,
                cipher: AESGCMCipher())
        }
        let recipient = try await ben.keyRecipient()
        #expect(try await keyring(of: ben).keys.isEmpty)
        try await database.shareKeys(ofZoneWith: .default, with: [recipient])
        #expect(try await keyring(of: ben).current == keyring(of: ann).current)
        // A user who is not named gets no later key.
        try await database.rotateKey(ofZoneWith: .default)
        #expect(try await keyring(of: ben).current == nil)
        #expect(try await keyring(of: ann).current != nil)
        #expect(try await keyring(of: ann).keys.count == 2)
        try await database.rotateKey(ofZoneWith: .default, for: [recipient])
        #expect(try await keyring(of: ben).current == keyring(of: ann).current)
        #expect(try await database.record(for: record.recordID).encryptedValues["text"] as String? == "for both")
    }

    private static let zoneIDs = [RecordZone.ID.default, RecordZone.ID(zoneName: "Diary")]

    /// Returns a container with a record in two zones.
    private func filled(_ text: String) async throws -> Container {
        let container = try container(MemoryBackend())
        for zoneID in Self.zoneIDs {
            if zoneID != .default { try await container.privateDatabase.save(RecordZone(zoneID: zoneID)) }
            var record = Record(recordType: "Notes", recordID: RecordID(recordName: "n", zoneID: zoneID))
            record.encryptedValues["text"] = text
            try await container.privateDatabase.save(record)
        }
        return container
    }

    @Test("can be read in a copy of the store, which has the keys of zones")
    func copies() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = try await filled("copied")
        let target = try container(SQLiteBackend(directory: folder.appendingPathComponent("copy")))
        for _ in 0..<2 {
            try await source.copy(to: target)
            for zoneID in Self.zoneIDs {
                let id = RecordID(recordName: "n", zoneID: zoneID)
                let found = try await target.privateDatabase.record(for: id)
                #expect(found.encryptedValues["text"] as String? == "copied")
            }
            try await source.privateDatabase.rotateKey(ofZoneWith: Self.zoneIDs[1])
        }
        await target.close()
    }

    @Test("can be read after an export and an import, whose file has no value and the wrapped keys")
    func exports() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = try await filled("exported")
        for zoneID in Self.zoneIDs {
            try await source.privateDatabase.rotateKey(ofZoneWith: zoneID)
        }
        let file = folder.appendingPathComponent("export.jsonl")
        try await DatabaseExport(of: source.privateDatabase, to: file).run { _ in }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("exported") && text.split(separator: "\n").count { $0.contains("\"keys\"") } == 2)
        let target = try container(MemoryBackend())
        for _ in 0..<2 {
            var transfer = try await DatabaseImport(of: file, into: target.privateDatabase, of: target)
            try await transfer.run { _ in }
        }
        for zoneID in Self.zoneIDs {
            let id = RecordID(recordName: "n", zoneID: zoneID)
            var found = try await target.privateDatabase.record(for: id)
            #expect(found.encryptedValues["text"] as String? == "exported")
            found.encryptedValues["text"] = "changed"
            try await target.privateDatabase.save(found)
        }
        // Damaged keys are an error with their line.
        try text.replacingOccurrences(of: "\"number\":1", with: "\"number\":0").write(
            to: file, atomically: true, encoding: .utf8)
        let other = try container(MemoryBackend())
        await #expect {
            var transfer = try await DatabaseImport(of: file, into: other.privateDatabase, of: other)
            try await transfer.run { _ in }
        } throws: {
            ($0 as? CabinetError)?.code == .invalidArguments
                && "\($0)".contains("export.jsonl:4: A wrapped key has a number")
        }
    }

    @Test("of another user's export are imported without their keys, so that values can be saved")
    func otherExport() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = try await filled("hers")
        let ben = try container(MemoryBackend(), user: "_ben")
        let recipient = try await ben.keyRecipient()
        for zoneID in Self.zoneIDs {
            try await source.privateDatabase.shareKeys(ofZoneWith: zoneID, with: [recipient])
        }
        let file = folder.appendingPathComponent("export.jsonl")
        try await DatabaseExport(of: source.privateDatabase, to: file).run { _ in }
        var notices: [String] = []
        var transfer = try await DatabaseImport(of: file, into: ben.privateDatabase, of: ben)
        try await transfer.run { if case .notice(let text) = $0 { notices.append(text) } }
        #expect(notices.count == 2 && notices.allSatisfy { $0.contains("_ann") })
        for zoneID in Self.zoneIDs {
            var found = try await ben.privateDatabase.record(for: RecordID(recordName: "n", zoneID: zoneID))
            #expect(found.encryptedValues["text"] as String? == nil)
            found.encryptedValues["text"] = "his"
            found = try await ben.privateDatabase.save(found)
            #expect(found.encryptedValues["text"] as String? == "his")
        }
    }

    @Test("are decrypted in the root record of a share's metadata by a user who has the keys")
    func metadata() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend = MemoryBackend()
        let (ann, ben) = (try container(backend), try container(backend, user: "_ben"))
        let (database, zoneID) = (ann.privateDatabase, Self.zoneIDs[1])
        try await database.save(RecordZone(zoneID: zoneID))
        var root = Record(recordType: "Notes", recordID: RecordID(recordName: "n", zoneID: zoneID))
        root.encryptedValues["text"] = "for both"
        var share = Share(rootRecord: root, shareID: RecordID(recordName: "share", zoneID: zoneID))
        share.addParticipant(Share.Participant(userRecordName: "_ben"))
        try await database.save([root, share.record])
        let url = try #require(try Share(try await database.record(for: share.recordID)).url)
        func values(_ container: Container) async throws -> EncryptedValues {
            let metadata = try await container.shareMetadata(for: url, shouldFetchRootRecord: true)
            return try #require(metadata.rootRecord).encryptedValues
        }
        #expect(try await values(ann)["text"] as String? == "for both")
        #expect(try await values(ben).error(forKey: "text")?.code == .permissionFailure)
        try await ben.accept(try await ben.shareMetadata(for: url))
        try await database.shareKeys(ofZoneWith: zoneID, with: [try await ben.keyRecipient()])
        #expect(try await values(ben)["text"] as String? == "for both")
    }

    @Test("cannot be coded before they are encrypted, and are ciphertexts in what is coded afterwards")
    func coding() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var record = Record(recordType: "Notes")
        record.encryptedValues["text"] = "secret"
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(record) }
        let request = ModifyRecordsRequest(scope: .private, recordsToSave: [record])
        #expect(throws: CabinetError.self) { try ModifyRecordsRequest.coding.encode(request) }
        #expect(!"\(record) \(String(reflecting: record))".contains("secret"))
        #expect(!record.debugDescription.contains("secret"))
        let database = try container(MemoryBackend()).privateDatabase
        let archive = try JSONEncoder().encode(try await database.save(record))
        var decoded = try JSONDecoder().decode(Record.self, from: archive)
        #expect(decoded.encryptedValues["text"] as String? == nil)
        #expect(decoded.encryptedValues.error(forKey: "text")?.code == .invalidArguments)
        decoded["title"] = "a title"
        #expect(try await database.save(decoded).encryptedValues["text"] as String? == "secret")
        decoded.encryptedValues["text"] = "another"
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(decoded) }
    }

    @Test("fail with a clear error without a key store")
    func withoutKeys() async throws {
        let container = try Container(identifier: "com.example.diary", backend: MemoryBackend())
        await #expect { _ = try await container.keyRecipient() } throws: {
            ($0 as? CabinetError)?.message.contains("no key store") == true
        }
        var record = Record(recordType: "Notes")
        record.encryptedValues["text"] = "secret"
        await #expect { try await container.privateDatabase.save(record) } throws: {
            ($0 as? CabinetError)?.message.contains("no key store") == true
        }
    }
}
