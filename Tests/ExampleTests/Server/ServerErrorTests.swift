import PostgresTestSupport
import ProgramTestSupport
import Testing

@Suite("Errors of a server's store")
struct ServerErrorTests {
    @Test(
        "No error shows a password",
        arguments: [
            ("postgresql://stranger:geheim@SOCKET/postgres", 1), ("postgresql://cabinet:ge%zzheim@SOCKET/postgres", 1),
            ("postgresql://cabinet:geheim@SOCKET/nowhere", 1), ("postgresql://cabinet:geheim@/x?host=/nowhere", 1),
            ("mysql://cabinet:geheim@SOCKET/postgres", 2),
        ])
    func errors(text: String, status: Int32) async throws {
        let connection = try await PostgresServer.shared.value.connection()
        let socket = try #require(connection.split(separator: "@").last?.split(separator: "/").first)
        for program in ["shopping-list", "notes"] {
            let machine = try Machine(program, store: text.replacing("SOCKET", with: socket))
            let outcome = try await machine.run(program == "notes" ? "list" : "lists")
            #expect(outcome.status == status)
            #expect(!outcome.errors.isEmpty && outcome.output.isEmpty)
            #expect(!outcome.errors.contains("heim"), "\(outcome.errors)")
        }
    }
}
