import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import ProgramTestSupport
import Testing

/// An export of a server that is imported into another one, while the program and the server are killed and the network breaks.
///
/// `make soak` does it for longer.
@Suite("An import into a server", .serialized, .timeLimit(.minutes(10)))
struct ImportTests {
    private static let count = 4_000

    private let (source, target): (RestartedServer, RestartedServer)

    init() async throws { (source, target) = (try await RestartedServer(), try await RestartedServer()) }

    private func options(_ server: RestartedServer, at url: URL? = nil, in folder: TemporaryFolder) throws -> [String] {
        let name = "\(UUID().uuidString).json"
        let file = try folder.write(#"{"user": "\#(server.user)", "token": "\#(server.token)"}"#, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return [
            "--store", (url ?? server.url).absoluteString, "--container", RestartedServer.container, "--credentials",
            file,
        ]
    }

    /// Fills a database: zones, references to later and earlier records, assets.
    private func fill(_ database: Database, _ generator: inout SeededGenerator) async throws {
        let zoneIDs = [RecordZone.ID.default, RecordZone.ID(zoneName: "Work")]
        try await database.save(RecordZone(zoneID: zoneIDs[1]))
        func id(_ number: Int) -> RecordID {
            RecordID(recordName: "entry-\(number)", zoneID: zoneIDs[number < Self.count / 2 ? 0 : 1])
        }
        let records = (0..<Self.count).map { number in
            var record = Record(recordType: "Entries", recordID: id(number))
            record["number"] = number
            record["text"] = String(repeating: "é", count: Int.random(in: 0..<80, using: &generator))
            if number % 500 == 7 { record["file"] = Asset(data: Data("asset \(number % 1_500)".utf8)) }
            return record
        }
        for start in stride(from: 0, to: records.count, by: 500) {
            try await database.save(Array(records[start..<min(start + 500, records.count)]))
        }
        // Their targets come after them in the file, or before.
        let referring = records.filter { _ in Int.random(in: 0..<12, using: &generator) == 0 }.map { record in
            var record = record
            let half = id(0).zoneID == record.recordID.zoneID ? 0..<Self.count / 2 : Self.count / 2..<Self.count
            let target = id(Int.random(in: half, using: &generator))
            record["link"] = Reference(
                recordID: target, action: [.deleteSelf, .nullify, .deny].randomElement(using: &generator) ?? .none)
            return record
        }
        _ = try await database.modifyRecords(saving: referring, deleting: [], savePolicy: .changedKeys)
    }

    /// The zones and records of a database as texts.
    private func content(of database: Database) async throws -> [String: String] {
        var content: [String: String] = [:]
        for zone in try await database.allRecordZones().map(\.zoneID) {
            content[zone.zoneName] = "zone"
            for try await page in database.recordZoneChangeSequence(inZoneWith: zone, since: nil) {
                for record in page.modifications.map(\.record) {
                    let asset: Asset? = record["file"]
                    let link: Reference? = record["link"]
                    content["\(zone.zoneName)/\(record.recordID.recordName)"] =
                        "\(record["number"] as? Int ?? -1) \(record["text"] as? String ?? "") "
                        + "\(asset?.checksum.map { "\($0)" } ?? "") \(link.map { "\($0)" } ?? "")"
                }
            }
        }
        return content
    }

    /// The date of the last change of the store of positions.
    private static func lastChange(in folder: URL) throws -> Date? {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return try names.compactMap {
            try FileManager.default.attributesOfItem(atPath: folder.appending(path: $0).path)[.modificationDate]
                as? Date
        }.max()
    }

    /// Whether the store of positions has one.
    private static func isUnfinished(in folder: URL) async throws -> Bool {
        let store = SQLiteBackend(directory: folder)
        let entries = try await store.read(.private(owner: Account.default.userRecordName)) {
            try await $0.entries(in: StorageKey.all("import"), limit: 1)
        }
        await store.close()
        return !entries.isEmpty
    }

    @Test("has everything once, and keeps what others have changed since")
    func kills() async throws {
        var generator = SeededGenerator(seed: Soak.seed)
        let folder = try TemporaryFolder()
        let cabinet = try Program.built("cabinet")
        let (from, to) = (try source.client(), try target.client())
        try await fill(from.privateDatabase, &generator)
        let file = folder.path("entries.jsonl")
        let exported = try await cabinet.run(["export", file] + options(source, in: folder), in: folder)
        try #require(exported.status == 0, "\(exported.errors)")

        let proxy = try NetworkProxy(to: target.port, generator: SeededGenerator(seed: Soak.seed))
        let words = ["import", file] + (try options(target, at: proxy.url, in: folder))
        let positions = URL(filePath: folder.path("state")).appending(path: "cabinet/imports")
        var edited: [RecordID: Int] = [:]
        var kills = 0
        var isComplete = false
        var ends: [Int32?] = []
        let rounds = Soak.isAsked ? 60 : 20
        for round in 0..<rounds {
            if round % 4 == 1 { proxy.set(.breaking(after: 60_000)) }
            let begin = try Self.lastChange(in: positions)
            async let crashed: Void = round % 4 == 3 ? target.crash(for: .milliseconds(200)) : ()
            // A slow machine needs longer for its first batch.
            let delay = Int.random(in: 0..<(60 + 40 * round), using: &generator)
            let status = try await cabinet.kill(words, in: folder, after: .milliseconds(delay)) {
                (try? Self.lastChange(in: positions)) != begin
            }
            try await crashed
            proxy.set(.open)
            ends.append(status)
            let isUnfinished = try await Self.isUnfinished(in: positions)
            if status == 0 || !isUnfinished {
                // A complete import is not continued: the next one begins again, and would replace edits.
                isComplete = kills > 0
                if isComplete { break } else { continue }
            }
            kills += 1
            // Another client edits what was imported; its line is not imported again.
            let ids = (0..<3).map { _ in Int.random(in: 0..<Self.count / 2, using: &generator) }
                .map { RecordID(recordName: "entry-\($0)") }
            for id in ids where edited[id] == nil {
                guard var record = try? await to.privateDatabase.record(for: id) else { continue }
                // A record whose reference waits for its target is saved once more at the end.
                guard try await from.privateDatabase.record(for: id)["link"] == nil else { continue }
                edited[id] = record["number"] as? Int
                record["number"] = -1 - round
                try await to.privateDatabase.save(record)
            }
        }
        if !isComplete {
            let outcome = try await cabinet.run(words, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(kills > 0, "\(ends)")
        Soak.report("import: \(kills) kills, \(edited.count) edits, seed \(Soak.seed)")
        for (id, number) in edited {
            var record = try await to.privateDatabase.record(for: id)
            #expect((record["number"] as? Int ?? 0) < 0, "The edit of \(id) was lost. Seed \(Soak.seed)")
            record["number"] = number
            try await to.privateDatabase.save(record)
        }
        let (expected, found) = (try await content(of: from.privateDatabase), try await content(of: to.privateDatabase))
        let different = Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }
        #expect(different.isEmpty, "\(different.sorted().prefix(5)). Seed \(Soak.seed)")
        #expect(found.count == Self.count + 2)
        for client in [from, to] { await client.close() }
        proxy.end()
        for server in [source, target] {
            try await server.end()
            try await server.verify()
        }
    }
}
