import Cabinet
import CabinetRemote
import Foundation
import ProgramTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("cabinet serve")
struct ServeTests {
    private let identifier = "com.example.notes"

    @Test("serves two users, finishes on SIGTERM, and logs no token", .timeLimit(.minutes(15)))
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

    @Test("has the dashboard beside the records, for operators that are signed in to it")
    func dashboard() async throws {
        let cabinet = try CabinetProgram()
        let server = try await cabinet.serving("--container", identifier, "--dashboard")
        func status(_ path: String) async throws -> Int? {
            let (_, response) = try await URLSession.shared.data(from: server.url.appending(path: path))
            return (response as? HTTPURLResponse)?.statusCode
        }
        #expect(try await status("dashboard") == 401)
        #expect(try await status("dashboard/sign-in") == 200)
        #expect(try await status("health") == 200)
        #expect(try await status("dashboards") == 404)
        // Another address, for a person whose session has ended.
        func addresses() throws -> Set<String> { Set(try server.errors().filter { $0.contains("sign-in?code=") }) }
        #expect(try addresses().count == 1)
        server.send(SIGHUP)
        for _ in 0..<200 where try addresses().count < 2 { try await Task.sleep(for: .milliseconds(50)) }
        #expect(try addresses().count == 2)
        #expect(try await server.end(SIGTERM) == 0)
        let plain = try await cabinet.serving("--container", identifier)
        let (_, response) = try await URLSession.shared.data(from: plain.url.appending(path: "dashboard"))
        #expect((response as? HTTPURLResponse)?.statusCode == 404)
        let (metrics, _) = try await URLSession.shared.data(from: plain.url.appending(path: "metrics"))
        #expect(String(decoding: metrics, as: UTF8.self).contains("\ncabinet_connections_total "))
        #expect(try await plain.end(SIGTERM) == 0)
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

    @Test("takes tokens of an identity provider, until its keys change")
    func webTokens() async throws {
        let cabinet = try CabinetProgram()
        // A signature of the test's key, whose token expires in 2096.
        let parts = [
            #"{"alg":"ES256","kid":"a"}"#,
            #"{"iss":"https://id.example.com","aud":"notes","sub":"ann","exp":4000000000}"#,
        ].map { Data($0.utf8).base64EncodedString().replacing("=", with: "") }
        let signature = "DEgOqHxHdlRXz-rIzzD--pjSMDZNsbhZ_LpfdD-Q4Qf8SZou4yvwj4grv6Hm6QB0ftwF8dibDrADtLWLMhKHBw"
        let token = "\(parts[0]).\(parts[1]).\(signature)"
        let point =
            #""x":"I9OcT721J5926sL4hcKPSun9nsfhgdzA46OYkaN7nyo","y":"IscZYgNSevr5bMnJdnnGVvpHo61IGmvnFUSCFhH59aQ""#
        func keys(_ id: String) -> String { #"{"keys":[{"kty":"EC","crv":"P-256","kid":"\#(id)",\#(point)}]}"# }
        let file = try cabinet.folder.write(keys("a"), to: "jwks.json")
        let jwt = #"{"keys":"\#(file)","issuer":"https://id.example.com","audience":"notes"}"#
        let configuration = try cabinet.folder.write(#"{"jwt":\#(jwt)}"#, to: "serve.json")
        let server = try await cabinet.serving("--container", identifier, "--config", configuration)
        let container = try Container(
            identifier: identifier, server: server.url,
            credentials: .bearer(token, userRecordName: "_83e3475d4b04cdbd44bab4c17efcdd11"))
        try await container.privateDatabase.save(Record(recordType: "Notes"))
        // A file without keys changes nothing, and other keys end the token.
        _ = try cabinet.folder.write("{}", to: "jwks.json")
        server.send(SIGHUP)
        try await Task.sleep(for: .milliseconds(200))
        _ = try await container.privateDatabase.allRecordZones()
        _ = try cabinet.folder.write(keys("b"), to: "jwks.json")
        server.send(SIGHUP)
        var isRefused = false
        for _ in 0..<100 where !isRefused {
            try await Task.sleep(for: .milliseconds(50))
            do { _ = try await container.privateDatabase.allRecordZones() } catch { isRefused = true }
        }
        #expect(isRefused)
        await container.close()
        #expect(try await server.end(SIGTERM) == 0)
        let other = try cabinet.folder.write(#"{"jwt":{"keys":"\#(file)"}}"#, to: "other.json")
        let failure = try await cabinet.failure(2, "serve", "--container", identifier, "--config", other)
        #expect(failure.contains("issuer"))
    }

    @Test("finds the store of a container's users by its configuration")
    func containers() async throws {
        let cabinet = try CabinetProgram()
        let (notes, shop) = (cabinet.folder.path("notes"), cabinet.folder.path("shop"))
        let file = try cabinet.folder.write(
            """
            {"containers": [{"identifier": "com.example.notes", "store": "\(notes)"},
            {"identifier": "com.example.notes", "environment": "production", "store": "\(notes)"},
            {"identifier": "com.example.shop", "store": "\(shop)"}]}
            """, to: "serve.json")
        func run(_ words: String..., container: String? = nil) async throws -> Program.Outcome {
            let options = ["--config", file] + (container.map { ["--container", $0] } ?? [])
            return try await cabinet.program.run(words + options, in: cabinet.folder)
        }
        #expect(try await run("users", "add", "ann").status == 2)
        #expect(try await run("users", "add", "ann", container: "com.example.other").status == 2)
        #expect(try await run("users", "add", "ann", container: "com.example.notes").status == 0)
        #expect(try await run("users", "add", "ben", container: "com.example.shop").status == 0)
        #expect(try await run("users", "list", container: "com.example.notes").output.contains("ann"))
        #expect(try await !run("users", "list", container: "com.example.shop").output.contains("ann"))
    }

    @Test("takes the container from the environment, unless a file says what is served")
    func environment() async throws {
        let cabinet = try CabinetProgram()
        func errors(_ container: String, _ options: String...) async throws -> String {
            let words = ["CABINET_CONTAINER=\(container)", cabinet.program.executable.path, "serve"]
            let outcome = try await Program.installed("env").run(
                words + ["--store", cabinet.store] + options, in: cabinet.folder)
            #expect(outcome.status == 2)
            return outcome.errors
        }
        #expect(try await errors(identifier, "--listen", "nowhere").contains("address"))
        #expect(try await errors("", "--listen", "nowhere").contains("No container is given."))
        let file = try cabinet.folder.write("{}", to: "serve.json")
        #expect(try await errors(identifier, "--config", file).contains("No container is given."))
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
        #expect(
            try await cabinet.failure(2, "serve", "--config", file).hasPrefix(
                "\(file) is not a configuration. The JSON text is not valid at byte "))
        for (json, part) in [
            (#"{"listen":"a"}"#, "'listen' is not a list."), ("[]", "Its value is not an object."),
            (#"{"containers":[{"store":"a"}]}"#, "'containers[0].identifier' is missing."),
            (#"{"limits":{"bodySize":0.5}}"#, "not a whole one"),
            (#"{"publicURL":"records.example.com"}"#, "'publicURL'"),
        ] {
            let errors = try await cabinet.failure(2, "serve", "--config", cabinet.folder.write(json, to: "serve.json"))
            #expect(errors.contains(part) && !errors.contains("Error"), "\(errors)")
        }
        #expect(
            try await cabinet.failure(3, "serve", "--config", "nope")
                == "The file nope cannot be read: No such file or directory.\n")
        #expect(try await cabinet.failure(3, "keys", "add", "a", "--public-key", "nope").contains("nope"))
        #expect(try await cabinet.failure(2, "serve", "--container", "bad id!").contains("container identifier"))
        for (limits, part) in [
            (#""seconds":1e300"#, "'seconds'"), (#""bodySize":-1"#, "'bodySize'"), (#""bodysize":1"#, "'bodysize'"),
            (#""connections":0"#, "'connections'"), (#""userRate":0"#, "'userRate'"),
        ] {
            let file = try cabinet.folder.write(#"{"limits":{\#(limits)}}"#, to: "serve.json")
            #expect(try await cabinet.failure(2, "serve", "--container", identifier, "--config", file).contains(part))
        }
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
