import Cabinet
import CabinetRemote
import CabinetSQLite
import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: shares", .timeLimit(.minutes(15)))
struct SharesCommandTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    /// The rows of a command's output, as objects.
    private func objects(_ output: String) throws -> [[String: String]] {
        try output.split(separator: "\n").map { line in
            try JSONDecoder().decode([String: String?].self, from: Data(line.utf8)).compactMapValues(\.self)
        }
    }

    @Test("A share of a store is listed, shown, accepted and left, each by the user of --account")
    func store() async throws {
        let (anna, ben) = (["--account", "_anna"], ["--account", "_ben"])
        func run(_ words: [String]) async throws -> Program.Outcome {
            try await cabinet.program.run(words + ["--store", cabinet.store], in: cabinet.folder)
        }
        func output(_ words: [String]) async throws -> String {
            let outcome = try await run(words)
            try #require(outcome.status == 0, "\(words): \(outcome.errors)")
            return outcome.output
        }
        let owner = try Container(
            identifier: "cabinet", backend: SQLiteBackend(directory: URL(filePath: cabinet.store)),
            account: Account(userRecordName: "_anna"))
        let zone = try await owner.privateDatabase.save(RecordZone(zoneName: "Lists"))
        #expect(try await run(["shares", "show", "Lists"] + anna).status == 3)
        var share = Share(recordZoneID: zone.zoneID)
        share[Share.SystemFieldKey.title] = "Groceries"
        share.publicPermission = .readOnly
        try await owner.privateDatabase.save(share)
        await owner.close()

        let json = ["--format", "json"]
        let own = try objects(try await output(["shares", "list"] + anna + json))
        #expect(own.count == 1 && own[0]["title"] == "Groceries" && own[0]["role"] == "owner")
        let url = try #require(own[0]["URL"])
        #expect(try await output(["shares", "list"] + ben + json).isEmpty)
        let seen = try objects(try await output(["shares", "show", url] + ben + json))
        #expect(seen.map { $0["state"] } == ["pending"] && seen.map { $0["permission"] } == ["readOnly"])
        let accepted = try objects(try await output(["shares", "accept", url] + ben + json))
        #expect(accepted.map { $0["state"] } == ["accepted"] && accepted.map { $0["owner"] } == ["_anna"])
        #expect(try objects(try await output(["shares", "list"] + ben + json)) == accepted)
        let users = try await output(["shares", "show", "Lists", "_anna"] + ben)
        #expect(users.contains("_anna") && users.contains("publicUser"))
        #expect(try await output(["shares", "show", "Lists"] + anna).contains("_ben"))

        #expect(try await run(["shares", "leave", "Lists", "_anna"] + anna).status == 2)
        #expect(try await output(["shares", "leave", "Lists", "_anna"] + ben) == "Left Lists of _anna.\n")
        let repeated = try await run(["shares", "leave", "Lists", "_anna"] + ben)
        #expect(repeated.status == 3 && !repeated.errors.contains("zones add"), "\(repeated.errors)")
        #expect(try await output(["shares", "list"] + ben + json).isEmpty)
        for wrong in ["cabinet://share/AAAAAAAAAAAAAAAAAAAAAA", "cabinet://share/x", "x"] {
            #expect(try await run(["shares", "accept", wrong] + ben).status == 3)
        }
    }

    @Test("A share of a server is that of the users' tokens")
    func server() async throws {
        for name in ["ann", "ben"] {
            try await cabinet.output("users", "add", name)
            try await cabinet.output("users", "sign-in", name, "--to", cabinet.folder.path("\(name).json"))
        }
        let identifier = "com.example.coins"
        let server = try await cabinet.serving("--container", identifier)
        func credentials(_ user: String) throws -> Credentials {
            try Credentials(contentsOf: URL(fileURLWithPath: cabinet.folder.path("\(user).json")))
        }
        let ben = try #require(try credentials("ben").userRecordName)
        let ann = try Container(identifier: identifier, server: server.url, credentials: try credentials("ann"))
        let zone = try await ann.privateDatabase.save(RecordZone(zoneName: "Coins"))
        var share = Share(recordZoneID: zone.zoneID)
        share.addParticipant(Share.Participant(userRecordName: ben, permission: .readWrite))
        let url = try #require(try await ann.privateDatabase.save(share).url?.absoluteString)
        func run(_ words: String..., as user: String) async throws -> Program.Outcome {
            try await cabinet.program.run(
                words + [
                    "--store", server.url.absoluteString, "--container", identifier, "--credentials",
                    cabinet.folder.path("\(user).json"),
                ], in: cabinet.folder)
        }
        let accepted = try await run("shares", "accept", url, "--format", "json", as: "ben")
        #expect(try objects(accepted.output).map { $0["permission"] } == ["readWrite"], "\(accepted.errors)")
        let owner = try #require(try objects(accepted.output)[0]["owner"])
        #expect(try await run("shares", "show", "Coins", as: "ann").output.contains(ben))
        #expect(try await run("shares", "list", as: "ben").output.contains(url))
        #expect(try await run("shares", "leave", "Coins", owner, as: "ben").status == 0)
        #expect(try await run("shares", "accept", url, as: "ben").status == 3)
        await ann.close()
        #expect(try await server.end(SIGTERM) == 0)
    }
}
