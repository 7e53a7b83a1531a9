import Cabinet
import CabinetTesting
import Foundation
import Testing

/// Typed fields whose values are encrypted.
@Suite("A typed field that is encrypted")
struct EncryptedFieldTests {
    private struct Entries: RecordFields {
        let day = Field<Int>("day")
        let text = EncryptedField<String>("text")
        let mood = EncryptedField<Int>("mood", default: 3)
        let words = EncryptedField<[String]>("words")
        let place = EncryptedField<Location?>("place")
        let address = EncryptedField<Address?>("address")
    }

    private struct Address: JSONRecordValue, Hashable {
        var city: String
    }

    private struct Photos: RecordFields {
        let photo = EncryptedField<Asset?>("photo")
    }

    private struct Entry: Codable {
        var day: Int
        var text: String
        var mood = 5
        var words: [String] = []
        var address: Address?
    }

    private let backend = MemoryBackend()
    private let container: Container

    init() throws {
        container = try Container(identifier: "com.example.diary", backend: backend).encrypting(
            with: TestEncryption().encryption)
    }

    @Test("is read and set as other fields are, and stored as a ciphertext")
    func values() async throws {
        let entries = container.privateDatabase.table(Entries.self)
        var entry = entries.make()
        #expect(entry.mood == 3 && entry.text == "" && entry.words == [] && entry.place == nil)
        entry.day = 1
        await #expect { try await entries.save(entry) } throws: { ($0 as? CabinetError)?.fieldKey == "text" }
        (entry.text, entry.words, entry.address) = ("hidden", ["a", "b"], Address(city: "Rome"))
        entry = try await entries.save(entry)
        let found = try await entries.record(for: entry.id)
        #expect(found.text == "hidden" && found.mood == 3 && found.words == ["a", "b"] && found.place == nil)
        #expect(found.address?.city == "Rome" && found.record["text"] == nil)
        #expect(Set(found.record.encryptedValues.allKeys()) == ["text", "mood", "words", "address"])
        try await entries.update(entry.id) { $0.mood += 1 }
        #expect(try await entries.record(for: entry.id).mood == 4)
        // A program without the keys.
        let other = try Container(identifier: "com.example.diary", backend: backend).privateDatabase
        let hidden = try await other.table(Entries.self).record(for: entry.id)
        #expect(hidden.text == "" && hidden.mood == 3 && hidden.day == 1)
        #expect(hidden.record.encryptedValues.error(forKey: "text") != nil)
    }

    @Test("has the encrypted type in the schema, which references and assets do not have")
    func schema() throws {
        let fields = try Schema(Entries.self).recordTypes["Entries"]?.fields
        #expect(fields?["text"]?.type == .encryptedString && fields?["words"]?.type == .list(of: .string).encrypted)
        #expect(fields?["address"]?.type == .encryptedString && fields?["day"]?.type == .int64)
        #expect(throws: CabinetError(.invalidArguments)) { try Schema(Photos.self) }
    }

    @Test("is coded as a property of the program's own type")
    func coding() async throws {
        let entries = container.privateDatabase.table(Entries.self)
        let entry = Entry(day: 2, text: "coded", words: ["x"], address: Address(city: "Bern"))
        let saved = try await entries.save(encoding: entry)
        let found = try await entries.record(for: saved.id)
        #expect(found.text == "coded" && found.mood == 5 && found.record["text"] == nil)
        let decoded = try found.decode(as: Entry.self)
        #expect(decoded.text == "coded" && decoded.words == ["x"] && decoded.address?.city == "Bern")
    }
}
