import CabinetEncryption
import Foundation
import Testing

@testable import Cabinet

/// The keys that a container accepts, in a store whose operator adds others.
@Suite("A zone's key that a store has forged")
struct KeySenderTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("senders-\(UUID())")
    private let backend = MemoryBackend()
    private let zoneID = RecordZone.ID(zoneName: "Diary")
    private let sharedID = RecordZone.ID(zoneName: "Diary", ownerName: "_ann")

    /// Returns a container with the keys of a device; the operator of the store is a device with keys of its own.
    private func container(_ user: String, device: String = "own") throws -> Container {
        try Container(
            identifier: "com.example.diary", backend: backend, account: Account(userRecordName: user)
        ).encrypting(with: Encryption(keyStore: store(device)))
    }

    private func store(_ device: String) -> FileKeyStore {
        FileKeyStore(directory: folder.appendingPathComponent(device))
    }

    private func record(_ name: String, _ text: String, in zoneID: RecordZone.ID? = nil) -> Record {
        var record = Record(
            recordType: "Notes", recordID: RecordID(recordName: name, zoneID: zoneID ?? self.zoneID))
        record.encryptedValues["text"] = text
        return record
    }

    /// Returns the text of a record, or `nil` if the field has an error.
    private func text(_ name: String, _ database: Database, in zoneID: RecordZone.ID? = nil) async throws -> String? {
        let id = RecordID(recordName: name, zoneID: zoneID ?? self.zoneID)
        return try await database.record(for: id).encryptedValues["text"]
    }

    @Test("is not used in the user's own zones, neither for new values nor for those that are read")
    func ownZones() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ann, operating) = (try container("_ann"), try container("_ann", device: "operator"))
        try await ann.privateDatabase.save(RecordZone(zoneID: zoneID))
        let old = try await ann.privateDatabase.save(record("old", "mine"))
        // The operator wraps a key for the public key that the store has.
        let recipient = try await ann.keyRecipient()
        try await operating.privateDatabase.rotateKey(ofZoneWith: zoneID, for: [recipient])
        try await operating.privateDatabase.save(record("forged", "the operator's"))
        await #expect { try await ann.privateDatabase.save(record("new", "secret")) } throws: {
            ($0 as? CabinetError)?.code == .permissionFailure && "\($0)".contains("the store was forged")
        }
        #expect(try await text("forged", ann.privateDatabase) == nil)
        #expect(try await text("old", ann.privateDatabase) == "mine")
        let stored = try await ann.privateDatabase.records(for: [RecordID(recordName: "new", zoneID: zoneID)])
        #expect(stored.values.allSatisfy { (try? $0.get()) == nil })
        // Another field can be saved, and a key of the user's own ends the refusal.
        var kept = old
        kept["plain"] = 1
        try await ann.privateDatabase.save(kept)
        try await ann.privateDatabase.rotateKey(ofZoneWith: zoneID)
        try await ann.privateDatabase.save(record("new", "secret"))
        #expect(try await text("new", operating.privateDatabase) == nil)
        #expect(try await text("new", container("_ann").privateDatabase) == "secret")
    }

    @Test("in the name of the user's own public key is not used")
    func ownName() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ann, cipher) = (try container("_ann"), AESGCMCipher())
        try await ann.privateDatabase.save(record("old", "mine", in: .default))
        let recipient = try await ann.keyRecipient()
        let context = EncryptionContext(keysOf: .default, owner: "_ann", in: "com.example.diary").bytes
        func forge(_ number: Int64) async throws {
            let wrapped = try cipher.wrap(
                cipher.makeZoneKey(), number: number, for: recipient, from: cipher.makeSecretKey(), context: context)
            let forged = WrappedKey(
                keyID: wrapped.keyID, number: number, recipient: recipient, sender: recipient.publicKey,
                ciphertext: wrapped.ciphertext)
            let request = ModifyZonesRequest(keysToAdd: [ZoneKeys(keys: [forged])])
            _ = try await ann.privateDatabase.client.service.perform(request, for: ann.caller)
        }
        try await forge(2)
        await #expect(throws: CabinetError(.permissionFailure)) {
            try await ann.privateDatabase.save(record("new", "secret", in: .default))
        }
        #expect(try await text("old", container("_ann").privateDatabase, in: .default) == "mine")
        // No rotation leads to the greatest number, so it ends neither saves nor rotations.
        try await forge(Int64(Int32.max))
        for name in ["new", "newer"] {
            try await ann.privateDatabase.rotateKey(ofZoneWith: .default)
            try await ann.privateDatabase.save(record(name, "secret", in: .default))
            #expect(try await text(name, container("_ann").privateDatabase, in: .default) == "secret")
        }
    }

    /// Shares the zone with Ben, who can write and has its key.
    private func share(_ ann: Container, with ben: Container) async throws {
        try await ann.privateDatabase.save(RecordZone(zoneID: zoneID))
        try await ann.privateDatabase.save(record("first", "by Ann"))
        var share = Share(recordZoneID: zoneID)
        share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
        share = try await ann.privateDatabase.save(share)
        _ = try await ben.accept(try await ben.shareMetadata(for: try #require(share.url)))
        try await ann.privateDatabase.shareKeys(ofZoneWith: zoneID, with: [try await ben.keyRecipient()])
    }

    @Test("is not used in a shared zone after a key of the owner was accepted")
    func sharedZones() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ann, ben, operating) = (
            try container("_ann"), try container("_ben"), try container("_ann", device: "operator")
        )
        try await share(ann, with: ben)
        #expect(try await text("first", ben.sharedDatabase, in: sharedID) == "by Ann")
        try await operating.privateDatabase.rotateKey(ofZoneWith: zoneID, for: [try await ben.keyRecipient()])
        // Another process of the device has accepted the same key.
        let again = try container("_ben")
        await #expect(throws: CabinetError(.permissionFailure)) {
            try await again.sharedDatabase.save(record("second", "by Ben", in: sharedID))
        }
        #expect(try await text("first", again.sharedDatabase, in: sharedID) == "by Ann")
        try await ann.privateDatabase.rotateKey(ofZoneWith: zoneID, for: [try await ben.keyRecipient()])
        try await again.sharedDatabase.save(record("second", "by Ben", in: sharedID))
        #expect(try await text("second", ann.privateDatabase) == "by Ben")
    }

    @Test("that came first is replaced by the key that the owner has given, and so is an owner's old key")
    func acceptedKeys() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ann, ben, operating) = (
            try container("_ann"), try container("_ben"), try container("_ann", device: "operator")
        )
        try await share(ann, with: ben)
        try await operating.privateDatabase.rotateKey(ofZoneWith: zoneID, for: [try await ben.keyRecipient()])
        // The first key that Ben sees is the operator's.
        #expect(try await text("first", ben.sharedDatabase, in: sharedID) == nil)
        try await ben.acceptKeys(from: try await ann.keyRecipient())
        #expect(try await text("first", ben.sharedDatabase, in: sharedID) == "by Ann")
        try store("own").replaceKey(of: "_ann", in: "com.example.diary", keepingOld: true)
        try await ann.privateDatabase.rotateKey(ofZoneWith: zoneID, for: [try await ben.keyRecipient()])
        try await ann.privateDatabase.save(record("second", "by Ann"))
        #expect(try await text("second", ben.sharedDatabase, in: sharedID) == nil)
        try await ben.acceptKeys(from: try await ann.keyRecipient())
        #expect(try await text("second", ben.sharedDatabase, in: sharedID) == "by Ann")
        // The owner gives the older keys again, in the name of the new one.
        #expect(try await text("first", ben.sharedDatabase, in: sharedID) == nil)
        try await ann.privateDatabase.shareKeys(ofZoneWith: zoneID, with: [try await ben.keyRecipient()])
        #expect(try await text("first", ben.sharedDatabase, in: sharedID) == "by Ann")
        await #expect(throws: CabinetError(.invalidArguments)) {
            try await ben.acceptKeys(from: KeyRecipient(userRecordName: "_ann", publicKey: Data([1])))
        }
        await #expect(throws: CabinetError(.invalidArguments)) {
            try await ben.acceptKeys(from: KeyRecipient(userRecordName: "", publicKey: Data(count: 32)))
        }
    }

    /// Copies the user's keys to another device.
    private func copyKeys() throws {
        let file = store("second").url(of: "_ann", in: "com.example.diary")
        try FileManager.default.createDirectory(at: store("second").directory, withIntermediateDirectories: true)
        try Data(contentsOf: store("own").url(of: "_ann", in: "com.example.diary")).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    @Test("and a key that a device does not have: it saves no value with the old one until it has the new key")
    func missingKey() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ann = try container("_ann")
        try await ann.privateDatabase.save(record("old", "mine", in: .default))
        try copyKeys()
        let second = try container("_ann", device: "second")
        #expect(try await text("old", second.privateDatabase, in: .default) == "mine")
        try store("own").replaceKey(of: "_ann", in: "com.example.diary", keepingOld: true)
        try await ann.privateDatabase.rotateKey(ofZoneWith: .default)
        for key in ["text", "other"] {
            await #expect {
                try await second.privateDatabase.update(RecordID(recordName: "old")) {
                    $0.encryptedValues[key] = "new"
                }
            } throws: {
                ($0 as? CabinetError)?.code == .permissionFailure && "\($0)".contains("copy the secret keys")
            }
        }
        await #expect(throws: CabinetError(.permissionFailure)) {
            try await second.privateDatabase.shareKeys(ofZoneWith: .default, with: [try await ann.keyRecipient()])
        }
        #expect(try await text("old", second.privateDatabase, in: .default) == "mine")
        try await second.privateDatabase.update(RecordID(recordName: "old")) { $0["plain"] = 1 }
        try copyKeys()
        try await second.privateDatabase.update(RecordID(recordName: "old")) { $0.encryptedValues["text"] = "new" }
        #expect(try await text("old", ann.privateDatabase, in: .default) == "new")
    }
}
