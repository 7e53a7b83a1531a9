import Cabinet
import CabinetEncryption
import Foundation
import Testing

@Suite("The article about encrypted values: its programs run")
struct EncryptedValues {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("article-\(UUID())")

    @Test func encryptedValues() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend = MemoryBackend()
        // snippet: container
        let keys = FileKeyStore(directory: folder)
        let container = try Container(
            identifier: "com.example.diary", backend: backend
        ).encrypting(with: Encryption(keyStore: keys))
        let database = container.privateDatabase

        var entry = Record(recordType: "Entries")
        entry["day"] = Date()
        entry.encryptedValues["text"] = "Nobody else reads this."
        entry = try await database.save(entry)

        let text: String? = entry.encryptedValues["text"]
        // end
        #expect(text == "Nobody else reads this.")
        // snippet: error
        if let error = entry.encryptedValues.error(forKey: "text") {
            print("The text cannot be read: \(error.message)")
        }
        // end
        // snippet: typed
        struct Entries: RecordFields {
            let day = Field<Date?>("day", index: .sortable)
            let text = EncryptedField<String>("text")
        }
        let latest = try await database.table(Entries.self)
            .first(by: \.day.descending)?.text
        // end
        #expect(latest == "Nobody else reads this.")
        // snippet: lost
        func read(_ id: RecordID) async throws -> Record? {
            do {
                return try await database.record(for: id)
            } catch let error as CabinetError where error.didResetEncryptedData {
                try await database.deleteRecordZone(withID: id.zoneID)
                try await database.save(RecordZone(zoneID: id.zoneID))
                return nil  // Save again what the program still has.
            }
        }
        // end
        #expect(try await read(entry.recordID)?.recordID == entry.recordID)
        // snippet: schema
        let schema = Schema(recordTypes: [
            "Entries": .init(fields: [
                "day": .init(.timestamp, .sortable),
                "text": .init(.encryptedString),
            ])
        ])
        // end
        try await container.apply(schema)
        let friend = try Container(
            identifier: "com.example.diary", backend: backend, account: Account(userRecordName: "_ben")
        ).encrypting(with: Encryption(keyStore: keys))
        // snippet: share
        let recipient = try await friend.keyRecipient()
        try await database.shareKeys(ofZoneWith: .default, with: [recipient])
        // A new key for what is saved from now on, without the friend:
        try await database.rotateKey(ofZoneWith: .default)
        // end
        // snippet: accept
        let owner = try await container.keyRecipient()
        try await friend.acceptKeys(from: owner)
        // end
    }
}
