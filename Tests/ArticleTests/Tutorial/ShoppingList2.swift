import Cabinet
import Testing

extension TutorialSteps {
    @Test func step2() async throws {
        let transcript = Transcript()
        @Sendable func print(_ items: Any...) { transcript.print(items) }

        // snippet: ShoppingList2
        let container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend())
        let database = container.privateDatabase

        var list = Record(recordType: "Lists")
        list["name"] = "Groceries"
        list = try await database.save(list)
        print("Saved:", list["name"] as? String ?? "-")
        // end
        #expect(transcript.lines.filter { !Self.depends($0) } == Array(Self.output.prefix(1)))
    }
}
