import Cabinet
import Foundation

/// A zone that one user owns, and the containers of the users that it is shared with, or not.
struct SharingScene: Sendable {
    let anna: Container
    let ben: Container
    let cleo: Container
    /// A user that was never invited.
    let dora: Container

    /// The zone as its owner names it.
    static let zoneID = RecordZone.ID(zoneName: "Lists")
    /// The zone as participants name it.
    static let sharedID = RecordZone.ID(zoneName: "Lists", ownerName: "_anna")
    /// Another zone of the owner.
    static let otherID = RecordZone.ID(zoneName: "Secrets")

    /// The databases of the owner, of a reader and of a writer.
    var own: Database { anna.privateDatabase }
    var reader: Database { ben.sharedDatabase }
    var writer: Database { cleo.sharedDatabase }

    /// The ID of a record as the owner names it.
    static func own(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: zoneID) }
    /// The ID of a record as participants name it.
    static func shared(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: sharedID) }

    /// The ID of the share as the owner names it.
    static var ownShareID: RecordID { own(Share.zoneWideRecordName) }
    /// The ID of the share as participants name it.
    static var sharedShareID: RecordID { shared(Share.zoneWideRecordName) }

    static let items = Query(recordType: "Items", sortedBy: ["name"])
}

extension ConformanceWorld {
    /// Returns the containers of four users, and creates zones of the first one with records.
    ///
    /// The zone to share has a list with the items `milk` and `bread`, and records outside of it have the same type and values.
    ///
    /// - Parameters:
    ///   - schema: The schema mode of the containers.
    ///   - container: A closure that creates the container of a user; `nil` for one of the world.
    func sharingScene(
        schema: SchemaMode = .growing, container: ((Account) throws -> Container)? = nil
    ) async throws -> SharingScene {
        func user(_ name: String) throws -> Container {
            let account = Account(userRecordName: name)
            return try container?(account) ?? self.container(account: account, schema: schema)
        }
        let scene = SharingScene(
            anna: try user("_anna"), ben: try user("_ben"), cleo: try user("_cleo"), dora: try user("_dora"))
        for zoneID in [SharingScene.zoneID, SharingScene.otherID] {
            try await scene.own.save(RecordZone(zoneID: zoneID))
        }
        let list = Record(recordType: "Lists", recordID: SharingScene.own("list")).with(["name": "Groceries"])
        let items = [("bread", 3), ("milk", 2)].map { name, number in
            Record(recordType: "Items", recordID: SharingScene.own(name))
                .with(["name": name, "number": number, "list": Reference(record: list, action: .deleteSelf)])
        }
        try await scene.own.saveAll([list] + items)
        try await scene.own.saveAll([
            Record("Items", "diary", ["name": "diary", "number": 40]),
            Record(recordType: "Items", recordID: RecordID(recordName: "letter", zoneID: SharingScene.otherID))
                .with(["name": "letter", "number": 50]),
        ])
        return scene
    }

    /// Returns the same, with the zone shared with a reader and a writer that have accepted.
    func sharedScene(
        schema: SchemaMode = .growing, container: ((Account) throws -> Container)? = nil
    ) async throws -> SharingScene {
        let scene = try await sharingScene(schema: schema, container: container)
        var share = Share(recordZoneID: SharingScene.zoneID)
        share.addParticipant(Share.Participant(userRecordName: "_ben"))
        share.addParticipant(Share.Participant(userRecordName: "_cleo", permission: .readWrite))
        share = try await scene.own.save(share)
        for user in [scene.ben, scene.cleo] { try await user.accept(share) }
        return scene
    }
}

extension Container {
    /// Accepts a share by its URL, as a user does that was sent it.
    @discardableResult
    func accept(_ share: Share) async throws -> Share {
        try await accept(try await shareMetadata(for: try require(share.url, "The URL of the share")))
    }
}

extension SharingScene {
    /// Changes the share as the owner.
    @discardableResult
    func change(_ body: (inout Share) throws -> Void) async throws -> Share {
        var share = try await own.share(forZoneWith: Self.zoneID)
        try body(&share)
        return try await own.save(share)
    }

    /// Throws unless no way leads a user to the zone, nor to any record.
    func expectNothing(_ user: Container, fileID: String = #fileID, line: Int = #line) async throws {
        let database = user.sharedDatabase
        try expect(
            "The zones", try await database.allRecordZones().map(\.zoneID), equals: [], fileID: fileID, line: line)
        try await Self.expectUnreachable(Self.sharedID, in: database, fileID: fileID, line: line)
    }

    /// Throws unless a zone of the shared database, and every record of it, is unknown to each kind of request.
    static func expectUnreachable(
        _ zoneID: RecordZone.ID, in database: Database, fileID: String = #fileID, line: Int = #line
    ) async throws {
        func refused<Result>(_ body: () async throws -> Result) async throws {
            try await expectError(.zoneNotFound, fileID: fileID, line: line, from: body)
        }
        try await refused { try await database.recordZone(for: zoneID) }
        // A record that exists and one that does not have the same answer.
        for name in ["milk", "letter", "diary", Share.zoneWideRecordName, "none"] {
            let id = RecordID(recordName: name, zoneID: zoneID)
            try await refused { try await database.record(for: id) }
            try await refused { try await database.deleteRecord(withID: id) }
            if name == Share.zoneWideRecordName { continue }
            let record = Record(recordType: "Items", recordID: id).with(["name": "x"])
            for policy in RecordSavePolicy.allCases {
                let results = try await database.modifyRecords(
                    saving: [record], deleting: [], savePolicy: policy, atomically: false)
                try expect(
                    "The result of \(policy)", results.saveResults[id]?.code, equals: .zoneNotFound, fileID: fileID,
                    line: line)
            }
        }
        for recordType in ["Items", "None", Share.recordType] {
            let query = Query(recordType: recordType)
            try await refused { try await database.allRecords(matching: query, inZoneWith: zoneID) }
            try await refused { try await database.count(matching: query, inZoneWith: zoneID) }
            try await refused { try await database.explain(query, inZoneWith: zoneID) }
            var states = database.observe(query, inZoneWith: zoneID).makeAsyncIterator()
            try await refused { try await states.next() }
        }
        try await refused { try await database.recordZoneChanges(inZoneWith: zoneID, since: nil) }
        try await refused { try await database.share(forZoneWith: zoneID) }
        try await refused { try await database.deleteRecordZone(withID: zoneID) }
    }
}
