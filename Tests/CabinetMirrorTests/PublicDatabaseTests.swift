import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// Records of the public database in a mirror, by queries of the program's choice.
@Suite("Records of the public database in a mirror")
struct PublicDatabaseTests {
    private func device(
        _ scene: MirrorScene, on store: any StorageBackend = MemoryBackend(), syncs: Bool = false,
        user: String? = nil, through link: TestLink? = nil, checkInterval: Int = 3_600,
        records: [String: Filter] = ["Notes": .field("year") > 2024]
    ) async throws -> TestDevice {
        try await scene.device(on: store, through: link, syncs: syncs, user: user) { configuration in
            configuration.selection.publicRecords = records
            configuration.publicCheckInterval = .seconds(checkInterval)
            configuration.pageSize = 2
        }
    }

    private static func note(_ name: String, _ text: String = "1", year: Int) -> Record {
        var note = MirrorScene.note(name, text)
        note["year"] = year
        return note
    }

    private func names(_ device: TestDevice) async throws -> [String] {
        try await device.container.publicDatabase.allRecords(matching: Query(recordType: "Notes"))
            .map(\.recordID.recordName).sorted()
    }

    private func remote(_ scene: MirrorScene, of user: String = "_editor") throws -> Database {
        try scene.container(of: user).publicDatabase
    }

    @Test(
        "arrive as far as they match, follow their changes, and leave when they no longer match or are deleted",
        arguments: RemoteKind.allCases)
    func following(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let remote = try remote(scene)
        for number in 1...5 {
            scene.clock.advance(by: 1)
            try await remote.save(Self.note("n\(number)", year: 2020 + number * 2))
        }
        let device = try await device(scene)
        try await device.sync()
        #expect(try await names(device) == ["n3", "n4", "n5"])

        // iCloud is asked for deletions after an hour.
        scene.clock.advance(by: 4_000)
        try await remote.setYear(2030, of: "n1")
        try await remote.setYear(2000, of: "n3")
        try await remote.deleteRecord(withID: RecordID(recordName: "n4"))
        try await remote.save(Self.note("n6", year: 2026))
        try await device.sync()
        #expect(try await names(device) == ["n1", "n5", "n6"])
        #expect(device.mirror.status.isIdle)

        // Nothing has changed: a query for the records of the last minute, in two pages here, and the notifications.
        let before = device.link.names.count
        try await device.mirror.fetchChanges()
        #expect(device.link.names.dropFirst(before).filter { $0 == "queryRecords" }.count == 2)
        #expect(!device.link.names.dropFirst(before).contains("fetchRecords"))
    }

    @Test("are edited without a network, and the server judges what is sent", arguments: RemoteKind.allCases)
    func editing(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let remote = try remote(scene)
        try await remote.save(Self.note("theirs", year: 2025))
        let device = try await device(scene)
        try await device.sync()
        let database = device.container.publicDatabase
        device.link.isCutOff = true
        try await database.save(Self.note("own", year: 2026))
        var theirs = try await database.record(for: RecordID(recordName: "theirs"))
        theirs["text"] = "mine"
        try await database.save(theirs)
        #expect(try await names(device) == ["own", "theirs"])
        // Other records need the network.
        await #expect { try await database.record(for: RecordID(recordName: "unknown")) } throws: { error in
            (error as? CabinetError)?.code == .networkUnavailable
        }
        await #expect { try await database.records(matching: Query(recordType: "Others")) } throws: { error in
            (error as? CabinetError)?.code == .networkUnavailable
        }
        device.link.isCutOff = false
        try await device.sync()
        #expect(try await remote.text(of: "own") == "1")
        #expect(try await remote.text(of: "theirs") == "1")
        let changes = try await device.mirror.pendingChanges(in: .public)
        #expect(changes.map(\.recordID.recordName) == ["theirs"])
        #expect(changes.first?.error?.code == .permissionFailure && changes.first?.error?.recordID == theirs.recordID)
        try await device.mirror.discard(changes.map(\.recordID), in: .public)
        #expect(try await database.text(of: "theirs") == "1")
        try await database.deleteRecord(withID: RecordID(recordName: "own"))
        try await device.sync()
        #expect(try await remote.text(of: "own") == nil)
        #expect(device.mirror.status.isIdle)
    }

    @Test("of other types are the server's", arguments: RemoteKind.allCases)
    func otherTypes(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await device(scene)
        let database = device.container.publicDatabase
        let log = try await database.save(Record(recordType: "Logs", recordID: RecordID(recordName: "log")))
        #expect(try await remote(scene).record(for: log.recordID).recordType == "Logs")
        #expect(try await database.record(for: log.recordID).recordType == "Logs")
        #expect(try await database.allRecords(matching: Query(recordType: "Logs")).count == 1)
        await #expect { try await database.save([log, Self.note("a", year: 2026)]) } throws: { error in
            (error as? CabinetError)?.code == .invalidArguments
        }
        try await database.deleteRecord(withID: log.recordID)
        #expect(try await remote(scene).text(of: "log") == nil)
        #expect(try await device.mirror.readStatus().isIdle)
    }

    @Test(
        "that do not match are read and edited on the server, and come when they match",
        arguments: RemoteKind.allCases)
    func otherRecords(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await device(scene)
        let database = device.container.publicDatabase
        try await remote(scene, of: "_ann").save(Self.note("old", year: 2000))
        try await device.sync()
        var note = try await database.record(for: RecordID(recordName: "old"))
        note["year"] = 2026
        note = try await database.save(note)
        #expect(try await remote(scene).record(for: note.recordID)["year"] as? Int == 2026)
        // It is here at once, and a page that was asked for before does not replace it.
        #expect(try await names(device) == ["old"])
        #expect(try await device.mirror.readStatus().isIdle)
        try await device.sync()
        #expect(try await names(device) == ["old"])
    }

    @Test("arrive by themselves, and end a live query's difference", arguments: RemoteKind.allCases)
    func running(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        // CloudKit sends no notifications about the public database without a subscription: the mirror polls.
        let polling =
            try kind == .iCloud
            ? TestLink(RemoteKind.iCloudService(over: scene.container(of: "_ann"), pollInterval: .milliseconds(200)))
            : nil
        let device = try await device(scene, syncs: true, through: polling, checkInterval: polling == nil ? 3_600 : 0)
        let database = device.container.publicDatabase
        try await eventually("The mirror is idle.") { device.mirror.status.isIdle }
        var states = database.observe(Query(recordType: "Notes")).makeAsyncIterator()
        #expect(try await states.next()?.isEmpty == true)
        try await remote(scene).save(Self.note("a", year: 2026))
        while let notes = try await states.next(), notes.isEmpty {}
        try await remote(scene).deleteRecord(withID: RecordID(recordName: "a"))
        while let notes = try await states.next(), !notes.isEmpty {}
        await device.mirror.close()
    }

    @Test(
        "are asked for one by one after lost notifications, or if the server stores none, as iCloud",
        arguments: [(RemoteKind.cabinet, true), (.cabinet, false), (.iCloud, false)])
    func lostNotifications(server: (kind: RemoteKind, stores: Bool)) async throws {
        let (kind, stores) = server
        let scene = try await MirrorScene(kind, retention: ChangeRetention(count: 1))
        let remote = try remote(scene)
        for name in ["a", "b", "c", "d", "e"] { try await remote.save(Self.note(name, year: 2026)) }
        let service = try scene.service(for: scene.user)
        let link = TestLink(stores ? service : WithoutNotifications(base: service))
        let device = try await device(scene, through: link)
        try await device.sync()
        for name in ["b", "d"] { try await remote.deleteRecord(withID: RecordID(recordName: name)) }
        for number in 0..<20 { try await remote.save(Self.note("old\(number)", year: 2000)) }
        if !stores {
            try await device.mirror.fetchChanges()
            #expect(try await names(device) == ["a", "b", "c", "d", "e"])
        }
        scene.clock.advance(by: 4_000)
        try await device.mirror.fetchChanges()
        #expect(try await names(device) == ["a", "c", "e"])
    }

    @Test("do not return by a discarded change if their deletion was not reported", arguments: RemoteKind.allCases)
    func discardedChange(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind, retention: ChangeRetention(count: 1))
        let remote = try remote(scene)
        for name in ["a", "b", "c"] { try await remote.save(Self.note(name, year: 2026)) }
        let device = try await device(scene)
        try await device.sync()
        let database = device.container.publicDatabase
        for name in ["a", "b"] {
            var note = try await database.record(for: RecordID(recordName: name))
            note["text"] = "mine"
            try await database.save(note)
        }
        // The user may not change what others have made.
        try await device.mirror.sendChanges()
        let refused = try await device.mirror.pendingChanges(in: .public)
        #expect(refused.map(\.error?.code) == [.permissionFailure, .permissionFailure])
        for name in ["a", "c"] { try await remote.deleteRecord(withID: RecordID(recordName: name)) }
        scene.clock.advance(by: 4_000)
        try await device.mirror.fetchChanges()
        let ids = try await device.mirror.pendingChanges(in: .public).map(\.recordID)
        try await device.mirror.discard(ids, in: .public)
        #expect(try await names(device) == ["b"])
        #expect(try await database.text(of: "b") == "1")
        #expect(device.mirror.status.isIdle)
    }

    @Test("do not stay if they were deleted before the answer to their save arrived", arguments: RemoteKind.allCases)
    func deletedBeforeAnswer(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let service = try scene.service(for: scene.user)
        let device = try await device(
            scene, through: TestLink(WithoutNotifications(base: service)), checkInterval: 10)
        try await device.sync()
        try await device.container.publicDatabase.save(Self.note("a", year: 2026))
        device.link.loseAnswers(1)
        _ = try? await device.mirror.sendChanges()
        try await scene.container(of: scene.user.userRecordName).publicDatabase.deleteRecord(
            withID: RecordID(recordName: "a"))
        scene.clock.advance(by: 20)
        try await device.mirror.fetchChanges()
        try await device.sync()
        // A server of Cabinet recognizes the repeated request, and iCloud saves the record again.
        #expect(try await names(device) == (kind == .cabinet ? [] : ["a"]))
        #expect(try await remote(scene).text(of: "a") == (kind == .cabinet ? nil : "1"))
        #expect(device.mirror.status.isIdle)
    }

    @Test("are not replaced by the answer to a save that is older than a fetch", arguments: RemoteKind.allCases)
    func lateAnswer(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await device(scene)
        let (database, remote) = (device.container.publicDatabase, try remote(scene, of: "_ann"))
        let id = try await remote.save(Self.note("a", year: 2000)).recordID
        device.link.holdAnswers(to: ModifyRecordsRequest.name)
        async let save: Void = database.setYear(2026, of: "a")
        try await eventually("The answer is on its way.") { device.link.heldCount == 1 }
        try await remote.change(id, "text", "theirs")
        try await device.mirror.fetchChanges()
        device.link.release()
        try await save
        #expect(try await names(device) == ["a"])
        #expect(try await database.text(of: "a") == "theirs")
    }

    @Test(
        "are not replaced by the answer to a save that is older than a save without an answer",
        arguments: RemoteKind.allCases)
    func lostLaterAnswer(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await device(scene)
        let database = device.container.publicDatabase
        let id = try await remote(scene, of: "_ann").save(Self.note("a", year: 2000)).recordID
        device.link.holdAnswers(to: ModifyRecordsRequest.name)
        async let save: Void = database.setYear(2026, of: "a")
        try await eventually("The answer is on its way.") { device.link.heldCount == 1 }
        device.link.loseAnswers(1)
        await #expect { try await database.change(id, "text", "later") } throws: { error in
            (error as? CabinetError)?.code == .serverResponseLost
        }
        device.link.release()
        try await save
        #expect(try await names(device) == ["a"])
        #expect(try await database.text(of: "a") == "later")
    }

    @Test("follow another choice of the program", arguments: RemoteKind.allCases)
    func selection(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let remote = try remote(scene)
        for year in 2020...2026 { try await remote.save(Self.note("n\(year)", year: year)) }
        try await remote.save(Record(recordType: "Logs", recordID: RecordID(recordName: "log")))
        let store = MemoryBackend()
        let first = try await device(
            scene, on: store, records: ["Notes": .field("year") > 2024, "Logs": .constant(true)])
        try await first.sync()
        #expect(try await names(first) == ["n2025", "n2026"])
        let second = try await device(scene, on: store, records: ["Notes": .field("year") < 2022])
        try await second.sync()
        #expect(try await names(second) == ["n2020", "n2021"])
        second.link.isCutOff = true
        await #expect { try await second.container.publicDatabase.record(for: RecordID(recordName: "log")) } throws: {
            ($0 as? CabinetError)?.code == .networkUnavailable
        }
    }

    @Test("and their changes are each user's own", arguments: RemoteKind.allCases)
    func users(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let store = MemoryBackend()
        let ann = try await device(scene, on: store)
        try await ann.container.publicDatabase.save(Self.note("a", year: 2026))
        let ben = try await device(scene, on: store, user: "_ben")
        try await ben.sync()
        #expect(try await names(ben).isEmpty)
        #expect(try await remote(scene).text(of: "a") == nil)
        try await ann.sync()
        try await ben.sync()
        let creator = try await ben.container.publicDatabase.record(for: RecordID(recordName: "a")).creatorUserRecordID
        #expect(creator?.recordName == "_ann")
    }
}

extension Database {
    fileprivate func setYear(_ year: Int, of name: String) async throws {
        var note = try await record(for: RecordID(recordName: name))
        note["year"] = year
        try await save(note)
    }
}

/// A server that stores no notifications, as CloudKit.
private struct WithoutNotifications: WrappingService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if Request.name == FetchNotificationsRequest.name {
            throw CabinetError(.serverRejectedRequest, "This server stores no notifications.")
        }
        return try await base.perform(request, for: caller)
    }
}
