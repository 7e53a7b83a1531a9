import Cabinet
import Foundation
import Testing

@testable import CabinetTesting

@Suite("Moving databases between stores")
struct MoveTests {
    @Test("Everything moves, back and forth, and processes that know nothing of it find it")
    func everything() async throws {
        let stores = RoutedStores()
        let (mover, other) = (try stores.process(), try stores.process())
        try await CopySamples.fill(other)
        let expected = try await StoreDump(other, RoutedStores.anna)
        for name in ["paris", "berlin", "paris", "berlin"] {
            let report = try await mover.move(RoutedStores.anna, to: name)
            #expect(report.copied.newRecords == expected.records.count)
            // It remembers the other home.
            #expect(try await StoreDump(other, RoutedStores.anna) == expected)
            try await RoutedStores.expectNothing(in: name == "paris" ? stores.berlin : stores.paris)
        }
        // Others stay.
        #expect(try await other.home(of: .private(owner: "_ben"))?.name == "berlin")
        #expect(try await other.home(of: .public)?.name == "berlin")
        #expect(try await other.home(of: RoutedStores.anna) == DatabaseHome(name: "berlin", generation: 5))
        let report = try await CopySamples.container(other).verify()
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test("Who has fetched a record before the move can save it after, and conflicts are seen")
    func tags() async throws {
        let stores = RoutedStores()
        let (database, other) = (try stores.process().annas, try stores.process().annas)
        var record = try await database.save(Record("Items", "a", ["number": 1]))
        let stale = record
        try await stores.process().move(RoutedStores.anna, to: "paris")
        record["number"] = 2
        record = try await other.save(record)
        await expectCode(.serverRecordChanged) { _ = try await database.save(stale.with(["number": 3])) }
        try await stores.process().move(RoutedStores.anna, to: "berlin")
        #expect(try await database.save(record.with(["number": 4]))["number"] as? Int == 4)
    }

    @Test("Change tokens expire with a move")
    func tokens() async throws {
        let stores = RoutedStores()
        let database = try stores.process().annas
        try await database.save(Record("Items", "a"))
        let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        try await stores.process().move(RoutedStores.anna, to: "paris")
        await expectCode(.changeTokenExpired) {
            _ = try await database.recordZoneChanges(inZoneWith: .default, since: token)
        }
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        #expect(changes.modificationResultsByID.count == 1)
    }

    @Test("Nothing is lost and nothing is there twice, while eight write and the database moves")
    func writers() async throws {
        let stores = RoutedStores()
        let saves = 150
        try await stores.process().annas.save(Record("Items", "counter", ["number": 0]))
        try await withThrowingTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    let database = try stores.process().annas
                    for number in 0..<saves {
                        try await database.save(Record("Items", "\(writer)-\(number)"))
                        while true {
                            var counter = try await database.fetch("counter")
                            counter["number"] = (counter["number"] as? Int ?? 0) + 1
                            do {
                                try await database.save(counter)
                                break
                            } catch CabinetError.Code.serverRecordChanged {}
                        }
                    }
                }
            }
            for name in ["paris", "berlin", "paris"] { try await stores.process().move(RoutedStores.anna, to: name) }
            try await group.waitForAll()
        }
        let database = try stores.process().annas
        #expect(try await database.itemCount() == 8 * saves + 1)
        #expect(try await database.fetch("counter")["number"] as? Int == 8 * saves)
        try await RoutedStores.expectNothing(in: stores.berlin)
    }

    @Test("Several move the same database at once, and others write", arguments: [1, 2, 3])
    func movers(seed: UInt64) async throws {
        let stores = RoutedStores()
        let saves = 200
        try await stores.process().annas.save(Record("Items", "first"))
        try await withThrowingTaskGroup { group in
            for mover in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: seed &* 10 &+ UInt64(mover))
                    for _ in 0..<25 {
                        let name = Bool.random(using: &random) ? "berlin" : "paris"
                        do {
                            _ = try await stores.process().move(RoutedStores.anna, to: name)
                        } catch CabinetError.Code.serverRejectedRequest {
                        } catch CabinetError.Code.invalidArguments {}
                    }
                }
            }
            for writer in 0..<4 {
                group.addTask {
                    let database = try stores.process().annas
                    for number in 0..<saves { try await database.save(Record("Items", "\(writer)-\(number)")) }
                }
            }
            try await group.waitForAll()
        }
        let name = try #require(try await stores.process().home(of: RoutedStores.anna)?.name)
        try await stores.process().move(RoutedStores.anna, to: name)
        #expect(try await stores.process().annas.itemCount() == 4 * saves + 1)
        try await RoutedStores.expectNothing(in: name == "berlin" ? stores.paris : stores.berlin)
    }

    @Test("Who listens hears of changes in the new home")
    func signals() async throws {
        let stores = RoutedStores()
        let listener = try stores.process()
        try await listener.annas.save(Record("Items", "a"))
        var signals = listener.changeSignals(of: RoutedStores.anna).makeAsyncIterator()
        _ = await signals.next()
        try await stores.process().move(RoutedStores.anna, to: "paris")
        try await stores.process().annas.save(Record("Items", "b"))
        while try await listener.annas.itemCount() < 2 { _ = await signals.next() }
        try await stores.process().annas.save(Record("Items", "c"))
        while try await listener.annas.itemCount() < 3 { _ = await signals.next() }
        await listener.close()
        while await signals.next() != nil {}
    }

    @Test("An upload that is overtaken by a move is to be made again")
    func uploads() async throws {
        let stores = RoutedStores()
        let writer = try stores.process()
        try await writer.annas.save(Record("Items", "a", ["file": Asset(data: Data("one".utf8))]))
        let bytes = Data("two".utf8)
        let asset = StoredAsset(checksum: .init(of: bytes), size: Int64(bytes.count))
        let upload = try await writer.beginUpload(to: RoutedStores.anna)
        try await upload.append(bytes)
        try await upload.finish()
        try await stores.process().move(RoutedStores.anna, to: "paris")
        await expectCode(.zoneBusy) {
            try await writer.write(RoutedStores.anna) { try await $0.add(asset, uploadedAs: upload.id) }
        }
        await upload.end()
        try await writer.annas.save(Record("Items", "b", ["file": Asset(data: bytes)]))
        #expect(try await (writer.annas.fetch("b")["file"] as? Asset)?.data() == bytes)
    }
}
