import Cabinet
import CabinetServer
import CabinetTesting
import CabinetTools
import Foundation
import ProgramTestSupport
import Testing

@testable import CabinetDashboard

@Suite("Archives of whole databases")
struct ArchiveTests {
    @Test("A database with its assets is one archive, which another store imports, packed and unpacked")
    func roundTrip() async throws {
        let visitor = try await DashboardVisitor()
        let zone = try await visitor.database.save(RecordZone(zoneName: "Travel"))
        let picture = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var coins: [Record] = []
        for number in 0..<300 {
            var coin = Record(recordType: "Coins", recordID: RecordID(recordName: "coin-\(number)"))
            coin["name"] = "Coin \(number)"
            if number < 3 { coin["photo"] = Asset(data: picture) }
            if number == 4 { coin["pages"] = [Asset(data: Data("one".utf8)), Asset(data: Data("two".utf8))] }
            coins.append(coin)
        }
        coins.append(Record(recordType: "Trips", recordID: RecordID(recordName: "rome", zoneID: zone.zoneID)))
        _ = try await visitor.database.modifyRecords(saving: coins, deleting: [])
        let link = try #require(try await visitor.page("").firstMatch(of: #/href="([^"]*format=zip)"/#)?.1)
        let response = try await visitor.send(.get, String(link))
        #expect(response.headerFields[.contentType] == "application/zip")
        #expect(
            response.headerFields[.contentDisposition] == "attachment; filename=\"com.example.coins-private.zip\"")
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "coins.zip")
        try await response.body.collect(upTo: 1 << 24).write(to: file)
        let unpacked = try await BrowserTests.python.run(
            ["-m", "zipfile", "-e", file.path, folder.path("new")], in: folder)
        #expect(unpacked.status == 0, "\(unpacked.errors)")
        let lines = folder.url.appending(path: "new/com.example.coins-private.jsonl")
        let assets = try FileManager.default.contentsOfDirectory(atPath: lines.path + ".assets")
        // Three records have one asset in common.
        #expect(assets.count == 3)
        let target = try Container(identifier: "com.example.copy", backend: MemoryBackend())
        var transfer = try await DatabaseImport(of: lines, into: target.privateDatabase, of: target)
        try await transfer.run { _ in }
        for type in ["Coins", "Trips"] {
            #expect(try await digest(type, target.privateDatabase) == digest(type, visitor.database))
        }
        #expect(try await target.privateDatabase.record(for: coins[300].recordID).recordType == "Trips")
        let copy = try await target.privateDatabase.record(for: "coin-2")
        #expect(try await (copy["photo"] as? Asset)?.data() == picture)

        // The page "Import" of another store takes the packed archive.
        let other = try await DashboardVisitor()
        let bytes = try Data(contentsOf: file)
        let page = try await other.upload(
            "import", [:], ["type": ""], data: [("file", "coins.zip", bytes)], status: 200)
        #expect(page.contains("Import coins.zip?") && page.contains("Coins, a new type"))
        #expect(try await other.database.schema().recordTypes.isEmpty)
        _ = try await other.submit("import", [:], ["confirm": try #require(page.hidden("confirm"))], status: 200)
        for type in ["Coins", "Trips"] {
            #expect(try await digest(type, other.database) == digest(type, visitor.database))
        }
        let imported = try await other.database.record(for: "coin-2")
        #expect(try await (imported["photo"] as? Asset)?.data() == picture)
        // An archive that is cut off is refused before anything is saved.
        let broken = try await other.upload(
            "import", [:], ["type": ""], data: [("file", "coins.zip", bytes.prefix(bytes.count / 2))], status: 400)
        #expect(broken.contains("The archive is damaged"))
    }

    private func digest(_ type: String, _ database: Database) async throws -> String {
        var digest = RecordDigest()
        for try await record in database.recordSequence(matching: Query(recordType: type), pageSize: 100) {
            digest.add(record)
        }
        return "\(digest.recordCount) \(digest)"
    }

    @Test("A database that lacks records for its reader is not exported, and neither is the shared one")
    func refusals() async throws {
        let visitor = try await DashboardVisitor()
        var schema = Schema(recordTypes: ["Coins": .init(fields: ["name": .init(.string)])], roles: ["Editor"])
        schema["Coins"].grants = ["Editor": [.read, .write, .create]]
        try await visitor.container.publicDatabase.deploy(schema)
        let path = "/dashboard/com.example.coins/development"
        let hidden = try await visitor.send(.get, "\(path)/public/export?format=zip")
        #expect(hidden.status == .forbidden)
        let text = String(decoding: try await hidden.body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(text.contains("every record of Coins"))
        #expect(try await visitor.send(.get, "\(path)/shared/export?format=zip").status == .badRequest)
        #expect(try await visitor.send(.get, "\(path)/private/export?format=zip").status == .ok)
        // Without an account, the records of all users' role are hidden too.
        let stranger = try await DashboardVisitor(account: nil)
        schema["Coins"].grants = [Schema.userRole: [.read, .write, .create]]
        try await stranger.container.publicDatabase.deploy(schema)
        #expect(try await stranger.send(.get, "\(path)/public/export?format=zip").status == .forbidden)
    }

    @Test("A broken store breaks the archive off, so that no part is taken for the whole")
    func failure() async throws {
        let visitor = try await DashboardVisitor()
        try await visitor.database.save(Record(recordType: "Coins"))
        let response = try await visitor.send(.get, DashboardVisitor.address("export", ["format": "zip"]))
        visitor.backend.inject(.failure(.internalError), on: .read)
        await #expect(throws: CabinetError.self) { try await response.body.collect(upTo: 1 << 24) }
    }
}
