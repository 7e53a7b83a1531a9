import Cabinet
import CabinetRemote
import Foundation
import ProgramTestSupport
import Testing

@Suite("cabinet serve")
struct ServeTests {
    private let identifier = "com.example.notes"

    @Test("serves two users, finishes on SIGTERM, and logs no token", .timeLimit(.minutes(3)))
    func users() async throws {
        let cabinet = try CabinetProgram()
        var clients: [Container] = []
        let server: ServingProgram
        var tokens: [String] = []
        do {
            var users: [(name: String, token: String)] = []
            for name in ["ann", "ben"] {
                let record = try await cabinet.output("users", "add", name).trimmed
                users.append((record, try await cabinet.output("users", "sign-in", name).trimmed))
            }
            tokens = users.map(\.token)
            server = try await cabinet.serving("--container", identifier)
            for user in users {
                clients.append(
                    try Container(
                        identifier: identifier, server: server.url,
                        credentials: .bearer(user.token, userRecordName: user.name)))
            }
        }
        let (ann, ben) = (clients[0].privateDatabase, clients[1].privateDatabase)
        var live = ann.observe(Query(recordType: "Notes", filter: .constant(true))).makeAsyncIterator()
        #expect(try await live.next()?.count == 0)
        let id = RecordID(recordName: "n1")
        try await ann.save(Record(recordType: "Notes", recordID: id))
        #expect(try await live.next()?.count == 1)
        await #expect(throws: CabinetError.self) { try await ben.record(for: id) }
        #expect(try await ann.record(for: id).recordType == "Notes")
        // A stream is open, and the server ends nevertheless at once.
        let start = ContinuousClock.now
        #expect(try await server.end(SIGTERM) == 0)
        #expect(start.duration(to: .now) < .seconds(15))
        let log = try server.lines()
        #expect(log.count > 3)
        for line in log.dropFirst() {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
        for token in tokens { #expect(!log.joined().contains(token)) }
        for client in clients { await client.close() }
    }

    @Test("refuses disabled users and revoked tokens")
    func disabled() async throws {
        let cabinet = try CabinetProgram()
        let name = try await cabinet.output("users", "add", "ann", "--email", "ann@example.com").trimmed
        let tokens = [
            try await cabinet.output("users", "sign-in", "ann").trimmed,
            try await cabinet.output("users", "sign-in", "ann").trimmed,
        ]
        let server = try await cabinet.serving("--container", identifier)
        func fetch(_ token: String) async throws {
            let container = try Container(
                identifier: identifier, server: server.url, credentials: .bearer(token, userRecordName: name))
            _ = try await container.privateDatabase.allRecordZones()
            await container.close()
        }
        try await fetch(tokens[0])
        try await cabinet.output("users", "disable", "ann")
        #expect(try await cabinet.output("users", "list").contains("disabled"))
        await #expect(throws: CabinetError.self) { try await fetch(tokens[1]) }
        try await cabinet.output("users", "enable", "ann")
        try await fetch(tokens[1])
        try await cabinet.output("users", "sign-out", "ann")
        await #expect(throws: CabinetError.self) { try await fetch("x" + tokens[1]) }
        let again = try await cabinet.failure(2, "users", "add", "ann")
        #expect(again.contains("already"))
        #expect(try await server.end(SIGTERM) == 0)
        // The store has no token, only what does not sign in.
        for file in FileManager.default.enumerator(
            at: cabinet.folder.url.appending(path: "store"), includingPropertiesForKeys: nil)?
            .compactMap({ $0 as? URL }) ?? []
        {
            guard let bytes = try? Data(contentsOf: file) else { continue }
            for token in tokens { #expect(bytes.range(of: Data(token.utf8)) == nil, "\(file)") }
        }
    }

    @Test("refuses what it cannot serve")
    func refusals() async throws {
        let cabinet = try CabinetProgram()
        #expect(try await cabinet.failure(2, "serve").contains("--container"))
        let name = "a name with spaces"
        #expect(try await cabinet.failure(2, "users", "add", name).contains("name"))
        #expect(
            try await cabinet.failure(2, "serve", "--container", identifier, "--listen", "nowhere").contains("address"))
        #expect(
            try await cabinet.failure(1, "serve", "--container", identifier, "--environment", "production").contains(
                "schema deploy"))
        let file = try cabinet.folder.write("{", to: "serve.json")
        #expect(try await cabinet.failure(2, "serve", "--config", file).contains("configuration"))
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
