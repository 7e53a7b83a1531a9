import Cabinet
import Foundation

extension SharingScene {
    /// The share of the list, as the owner names it.
    static var listShareID: RecordID { own("listShare") }

    /// The records that the share of the list covers.
    static let covered = ["list", "bread", "milk", "note"]
    /// The other records of the zone.
    static let uncovered = ["diary", "other", "egg"]

    /// Shares a record with a reader and a writer, who accept.
    @discardableResult
    func share(_ root: String, as name: String, accepting: Bool = true) async throws -> Share {
        var share = Share(rootRecord: try await own.record(for: Self.own(root)), shareID: Self.own(name))
        share.addParticipant(Share.Participant(userRecordName: "_ben"))
        share.addParticipant(Share.Participant(userRecordName: "_cleo", permission: .readWrite))
        let root = try await own.record(for: Self.own(root))
        share = try Share(try await own.saveAll([root, share.record])[1])
        if accepting { for user in [ben, cleo] { try await user.accept(share) } }
        return share
    }

    /// Saves a record below another one.
    @discardableResult
    func save(
        _ name: String, _ type: String = "Items", below parent: String?,
        _ fields: KeyValuePairs<Record.FieldKey, (any RecordValue)?> = [:]
    ) async throws -> Record {
        var record = Record(recordType: type, recordID: Self.own(name)).with(fields)
        record["name"] = name
        record.setParent(parent.map(Self.own))
        return try await own.save(record)
    }

    /// Moves a record below another one as the owner.
    @discardableResult
    func move(_ name: String, below parent: String?) async throws -> Record {
        var record = try await own.record(for: Self.own(name))
        record.setParent(parent.map(Self.own))
        return try await own.save(record)
    }

    /// The names of the records that a user fetches.
    func names(_ database: Database) async throws -> [String] {
        let all = Self.covered + Self.uncovered
        let results = try await database.records(for: all.map(Self.shared))
        return all.filter { name in (try? results[Self.shared(name)]?.get()) != nil }
    }

    /// The changes of the shared zone, as `+name` and `-name`.
    func changes(_ database: Database, since token: inout ServerChangeToken?) async throws -> Set<String> {
        let page = try await database.recordZoneChanges(inZoneWith: Self.sharedID, since: token)
        token = page.changeToken
        return Set(page.modificationResultsByID.keys.map { "+\($0.recordName)" })
            .union(page.deletions.map { "-\($0.recordID.recordName)" })
    }
}

extension ConformanceWorld {
    /// Returns the containers of four users, and the records of a zone in two trees.
    ///
    /// The list has the items `bread` and `milk`, and `milk` has a note. The list `other` has the item `egg`; `diary` is in no tree. They
    /// have the same types and fields.
    func treeScene(schema: SchemaMode = .growing) async throws -> SharingScene {
        func user(_ name: String) throws -> Container {
            try container(account: Account(userRecordName: name), schema: schema)
        }
        let scene = SharingScene(
            anna: try user("_anna"), ben: try user("_ben"), cleo: try user("_cleo"), dora: try user("_dora"))
        try await scene.own.save(RecordZone(zoneID: SharingScene.zoneID))
        for name in ["list", "other"] { try await scene.save(name, "Lists", below: nil) }
        try await scene.save("egg", below: "other", ["number": 50])
        try await scene.save("diary", below: nil, ["number": 40])
        let links = [("bread", 3, "egg"), ("milk", 2, "bread")]
        for (name, number, link) in links {
            let reference = Reference(recordID: SharingScene.own(link), action: .none)
            try await scene.save(name, below: "list", ["number": number, "link": reference])
        }
        try await scene.save("note", "Notes", below: "milk")
        return scene
    }

    /// Returns the same, with the list shared with a reader and a writer, who have accepted.
    func hierarchyScene(schema: SchemaMode = .growing) async throws -> SharingScene {
        let scene = try await treeScene(schema: schema)
        try await scene.share("list", as: "listShare")
        return scene
    }
}
