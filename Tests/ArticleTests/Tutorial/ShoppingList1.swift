import Cabinet
import Testing

extension TutorialSteps {
    @Test func step1() async throws {
        let transcript = Transcript()
        @Sendable func print(_ items: Any...) { transcript.print(items) }

        // snippet: ShoppingList1
        let container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend())
        let database = container.privateDatabase
        // end
        #expect(database.databaseScope == .private)
    }
}
