import Cabinet
import CabinetListener
import CabinetRemote
import CabinetServer
import CabinetWire
import Foundation
import Synchronization
import Testing

@Suite("A client of CloudKit Web Services")
struct CloudKitClientTests {
    private func note(_ name: String, zoneID: RecordZone.ID = .default) -> Record {
        var record = Record(recordType: "Notes", recordID: RecordID(recordName: name, zoneID: zoneID))
        record["title"] = "Note \(name)"
        return record
    }

    @Test("with a server's key saves, queries and conflicts in the public database, and reaches no other")
    func serverKey() async throws {
        let world = try await CloudKitWorld()
        try await world.start()
        let client = try world.keyClient()
        let database = client.publicDatabase
        var saved = try await database.save(note("a"))
        #expect(saved.creatorUserRecordID != nil && saved.recordChangeTag != nil)
        let old = saved
        saved["title"] = "Changed"
        saved = try await database.save(saved)
        let error = await #expect(throws: CabinetError.self) { try await database.save(old.with("title", "Late")) }
        #expect(error?.code == .serverRecordChanged && error?.serverRecord?["title"] as? String == "Changed")
        _ = try await database.modifyRecords(saving: (0..<7).map { note("n\($0)") }, deleting: [])
        let query = Query(recordType: "Notes", filter: try Filter("title BEGINSWITH 'Note'"), sortedBy: ["title"])
        var page = try await database.records(matching: query, resultsLimit: 4)
        var names = page.matchResults.map(\.0.recordName)
        while let cursor = page.queryCursor {
            page = try await database.records(continuingMatchFrom: cursor, resultsLimit: 4)
            names += page.matchResults.map(\.0.recordName)
        }
        #expect(names == (0..<7).map { "n\($0)" })
        // A query without a zone does not name the owner of the default one.
        #expect(page.matchResults.allSatisfy { $0.0.zoneID == .default })
        #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
        for scope in [client.privateDatabase, client.sharedDatabase] {
            await #expect(throws: CabinetError(.permissionFailure)) { try await scope.save(note("b")) }
        }
        await client.close()
        let other = try world.client(
            .serverKey(String(repeating: "0", count: 64), privateKey: CloudKitWorld.privateKey))
        await #expect(throws: CabinetError(.notAuthenticated)) { try await other.publicDatabase.save(note("c")) }
        await other.close()
        await world.stop()
    }

    @Test("stores each new web token in the file of its credentials")
    func file() async throws {
        let world = try await CloudKitWorld()
        try await world.start()
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(#"{"apiToken": "\#(world.apiToken)", "webToken": "\#(world.webToken)"}"#.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let client = try world.client(CloudKitCredentials(contentsOf: file))
        try await client.privateDatabase.save(note("a"))
        world.clock.advance(by: 400)
        _ = try await client.privateDatabase.record(for: "a")
        await client.close()
        // The first token is not valid any more.
        world.clock.advance(by: 120)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains(world.webToken))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let next = try world.client(CloudKitCredentials(contentsOf: file))
        #expect(try await next.privateDatabase.record(for: "a")["title"] as? String == "Note a")
        await next.close()
        await world.stop()
    }

    @Test("refuses a key that is not a private one on P-256 without a password", arguments: ["", "key", "RSA"])
    func keys(_ text: String) {
        let pem = text == "RSA" ? CloudKitWorld.privateKey.replacing("EC PRIVATE", with: "RSA PRIVATE") : text
        #expect(throws: CabinetError(.invalidArguments)) { try CloudKitCredentials.serverKey("id", privateKey: pem) }
    }

    @Test("with a web token has zones, changes and assets, and follows the replacement of tokens")
    func webToken() async throws {
        let world = try await CloudKitWorld()
        try await world.start()
        let tokens = Mutex<[String]>([])
        let client = try world.userClient { token in tokens.withLock { $0.append(token) } }
        let database = client.privateDatabase
        let zone = try await database.save(RecordZone(zoneName: "Z"))
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        var record = note("a", zoneID: zone.zoneID)
        record["file"] = Asset(data: bytes)
        record = try await database.save(record)
        world.clock.advance(by: 400)
        let fetched = try await database.record(for: record.recordID)
        let asset = try #require(fetched["file"] as Asset?)
        #expect(try await asset.data() == bytes)
        #expect(tokens.withLock(\.count) == 1)
        // Two minutes later, the replaced token is no longer valid, and the client has the next one.
        world.clock.advance(by: 120)
        var copy = note("b", zoneID: zone.zoneID)
        copy["file"] = asset
        copy = try await database.save(copy)
        #expect(try await (copy["file"] as Asset?)?.data() == bytes)
        let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
        #expect(Set(changes.modificationResultsByID.keys.map(\.recordName)) == ["a", "b"])
        try await database.deleteRecord(withID: copy.recordID)
        let later = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: changes.changeToken)
        #expect(later.deletions.map(\.recordID.recordName) == ["b"])
        #expect(try await client.userRecordID().recordName == world.user.userRecordName)
        await client.close()
        await world.stop()
    }

    @Test("keeps no web token of an answer to an earlier one")
    func slowAnswers() async throws {
        let sent = Mutex<[String]>([])
        let (release, end) = AsyncStream.makeStream(of: Void.self)
        let addresses = [HTTPAddress.network(host: "127.0.0.1", port: 0)]
        let listener = try HTTPListener(.init(addresses: addresses, threads: 1)) { request in
            let items = URLComponents(string: "?\(request.query ?? "")")?.queryItems ?? []
            let count = sent.withLock { sent in
                sent.append(items.first { $0.name == "ckWebAuthToken" }?.value ?? "")
                return sent.count
            }
            // The first answer was created before the second, and arrives after it.
            if count == 1 { for await _ in release {} }
            var response = HTTPResponse(body: HTTPBody("{}"))
            let name = try #require(HTTPField.Name("X-Apple-CloudKit-Web-Auth-Token"))
            response.headerFields.append(try HTTPField(name: name, value: count == 1 ? "T0" : "T1"))
            return response
        }
        let tokens = Mutex<[String]>([])
        let client = try Container(
            identifier: "iCloud.com.example.notes", server: .cloudKit(try #require(URL(string: listener.urls[0]))),
            credentials: .webToken("T0", apiToken: "api", userRecordName: "_ann") { token in
                tokens.withLock { $0.append(token) }
            })
        let slow = Task { _ = try? await client.privateDatabase.record(for: "a") }
        while sent.withLock(\.isEmpty) { try await Task.sleep(for: .milliseconds(1)) }
        _ = try? await client.privateDatabase.record(for: "b")
        end.finish()
        await slow.value
        _ = try? await client.privateDatabase.record(for: "c")
        #expect(sent.withLock(\.self) == ["T0", "T0", "T1"])
        #expect(tokens.withLock(\.self) == ["T1"])
        await client.close()
        await listener.stop(within: .seconds(1))
    }

    @Test("finds other users by their addresses")
    func lookups() async throws {
        let world = try await CloudKitWorld()
        let ben = try await world.accounts.addUser("ben", email: "ben@example.com").userRecordName
        try await world.start()
        let client = try world.userClient()
        #expect(try await client.shareParticipant(forEmailAddress: "ben@example.com").userRecordName == ben)
        let lookups: [UserLookup] = [.userRecordName(ben), .userRecordName("_eve"), .phoneNumber("1")]
        let found = try await client.shareParticipants(for: lookups)
        #expect(lookups.map { try? found[$0]?.get().userRecordName } == [ben, nil, nil])
        await world.stop()
    }

    @Test("learns the record name of its user, and says which databases need one")
    func users() async throws {
        let world = try await CloudKitWorld()
        try await world.start()
        let service = try CloudKitDatabaseService(
            server: world.server, container: CloudKitWorld.container,
            credentials: .webToken(world.webToken, apiToken: world.apiToken))
        #expect(try await service.currentUserRecordName() == world.user.userRecordName)
        await service.close()
        let anonymous = try world.client(.webToken(nil, apiToken: world.apiToken))
        #expect(try await anonymous.publicDatabase.records(matching: Query(recordType: "Notes")).matchResults.isEmpty)
        await #expect(throws: CabinetError(.notAuthenticated)) {
            try await anonymous.privateDatabase.record(for: RecordID(recordName: "a"))
        }
        await anonymous.close()
        let expired = try world.client(.webToken("no-token", apiToken: world.apiToken, userRecordName: "_ann"))
        await #expect(throws: CabinetError(.notAuthenticated)) { try await expired.privateDatabase.save(note("a")) }
        await expired.close()
        await world.stop()
    }

    @Test("goes on after a restart of the server, and repeats reads whose answers were lost, but no change")
    func failures() async throws {
        let world = try await CloudKitWorld()
        let losesAnswers = Atomic(false)
        let isLost = Mutex(false)
        let wrap = { (handler: @escaping HTTPHandler) -> HTTPHandler in
            { request in
                let response = try await handler(request)
                guard losesAnswers.load(ordering: .relaxed),
                    isLost.withLock({ lost in
                        lost.toggle(); return lost
                    })
                else { return response }
                return HTTPResponse(body: HTTPBody(length: 1_000) { throw CancellationError() })
            }
        }
        try await world.start(wrap)
        let client = try world.keyClient()
        let database = client.publicDatabase
        try await database.save(note("a"))
        async let fetched = { () async throws -> Record in
            try await Task.sleep(for: .milliseconds(200))
            return try await database.record(for: RecordID(recordName: "a"))
        }()
        await world.stop()
        try await Task.sleep(for: .milliseconds(700))
        try await world.start(wrap)
        #expect(try await fetched["title"] as? String == "Note a")
        losesAnswers.store(true, ordering: .relaxed)
        #expect(try await database.record(for: RecordID(recordName: "a"))["title"] as? String == "Note a")
        await #expect(throws: CabinetError(.serverResponseLost)) { try await database.save(note("b")) }
        losesAnswers.store(false, ordering: .relaxed)
        // The save was carried out, which a second one finds.
        await #expect(throws: CabinetError(.serverRecordChanged)) { try await database.save(note("b")) }
        await client.close()
        await world.stop()
    }

    @Test("has a signal after a notification", .timeLimit(.minutes(15)))
    func signals() async throws {
        let world = try await CloudKitWorld()
        try await world.start()
        let client = try world.userClient()
        _ = try await client.privateDatabase.save(DatabaseSubscription(subscriptionID: "all"))
        let service = try CloudKitDatabaseService(
            server: world.server, container: CloudKitWorld.container,
            credentials: .webToken(world.webToken, apiToken: world.apiToken))
        var signals = try service.signals(of: [.private], for: Caller(account: nil, deviceID: "d")).makeAsyncIterator()
        await signals.next()
        try await client.privateDatabase.save(note("a"))
        await signals.next()
        await service.close()
        while await signals.next() != nil {}
        await client.close()
        await world.stop()
    }
}

extension Record {
    fileprivate func with(_ key: String, _ value: String) -> Record {
        var record = self
        record[key] = value
        return record
    }
}
