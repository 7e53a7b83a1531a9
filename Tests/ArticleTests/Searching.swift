import Cabinet
import Foundation
import Testing

@Suite("The search box of the guide to filters")
struct Searching {
    struct Contacts: RecordFields {
        static let recordType = "Contacts"
        let name = Field<String>("name", index: .searchable)
        let city = Field<String>("city", index: .searchable)
    }

    @Test func search() async throws {
        let container = try Container(
            identifier: "com.example.guide", backend: MemoryBackend(),
            schema: .strict(Schema(Contacts.self)))
        let contacts = container.privateDatabase.table(Contacts.self)
        for (name, city) in [
            ("Romy Smith", "Oslo"), ("Ada Smith", "Rome, Italy"), ("Smith & Sons", "New York"), ("Bob Rosmith", "Rome"),
        ] {
            var contact = contacts.make()
            contact.name = name
            contact.city = city
            try await contacts.save(contact)
        }
        var highlighted: [Substring] = []
        func highlight(_ part: Substring) { highlighted.append(part) }
        let text = "smith ro"
        // snippet: search
        let found = try await contacts.all(
            where: { $0.search(text) }, by: \.relevance, limit: 20)
        // end
        #expect(found.map(\.name) == ["Romy Smith", "Ada Smith"])
        let contact = try #require(found.first)
        // snippet: ranges
        for range in SearchText(text).ranges(in: contact.name) {
            highlight(contact.name[range])
        }
        // end
        #expect(highlighted == ["Ro", "Smith"])
    }
}
