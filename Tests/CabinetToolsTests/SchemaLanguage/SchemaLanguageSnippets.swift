import Cabinet
import CabinetTools
import Testing

@Suite("The code of the article about the schema language")
struct SchemaLanguageSnippets {
    @Test("Parse, apply and print")
    func parse() async throws {
        let container = try Container(identifier: "com.example.coins", backend: MemoryBackend())
        let database = container.publicDatabase
        let text = SchemaSamples.coins
        // snippet: parse
        let document = try SchemaDocument(parsing: text)
        try await database.deploy(document.schema)

        let exported = SchemaDocument(try await database.schema())
        print(exported)
        // end
        #expect(exported.schema == document.schema)
    }
}
