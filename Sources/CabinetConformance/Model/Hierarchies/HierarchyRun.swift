import Cabinet
import CabinetTesting
import Foundation

/// Random operations of an owner and two participants, each of which must do what the model says.
struct HierarchyRun {
    static let participants = ["_ben", "_cleo"]
    static let zoneID = RecordZone.ID(zoneName: "Trees")
    static let sharedID = RecordZone.ID(zoneName: "Trees", ownerName: "_anna")
    private static let types = ["Nodes", "Leaves"]

    var model = HierarchyModel()
    var random: SeededGenerator
    let own: Database
    let containers: [String: Container]
    /// The URLs of roots that were shared.
    var urls: [String: URL] = [:]
    var copies: [String: FeedCopy] = [:]
    /// The operations so far, for a failure.
    var steps: [String] = []

    init(_ world: ConformanceWorld, seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        own = try world.container(account: Account(userRecordName: "_anna")).privateDatabase
        var containers: [String: Container] = [:]
        for user in Self.participants {
            containers[user] = try world.container(account: Account(userRecordName: user))
        }
        self.containers = containers
        try await own.save(RecordZone(zoneID: Self.zoneID))
    }

    func id(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: Self.zoneID) }
    func sharedID(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: Self.sharedID) }

    func database(of user: String) throws -> Database {
        try require(containers[user], "The container of \(user)").sharedDatabase
    }
}

extension HierarchyRun {
    /// Performs one random operation.
    mutating func step() async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: try await saveAsOwner(isNew: true)
        case 3..<6: try await saveAsOwner(isNew: false)
        case 6..<8: try await share()
        case 8: try await unshare()
        case 9..<12: try await acceptOrLeave()
        case 12: try await invite()
        case 13: try await delete(as: nil)
        case 14..<16: try await delete(as: Self.participants.randomElement(using: &random))
        default: try await saveAsParticipant()
        }
    }

    private mutating func anyName() -> String? { model.nodes.keys.sorted().randomElement(using: &random) }

    private mutating func newNode(isNew: Bool, _ name: String) -> HierarchyModel.Node {
        var node =
            model.nodes[name]
            ?? .init(type: Self.types.randomElement(using: &random) ?? "Nodes", number: 0)
        node.number = Int.random(in: 0..<10, using: &random)
        if Bool.random(using: &random) || isNew {
            node.parent = Int.random(in: 0..<4, using: &random) == 0 ? nil : anyName()
        }
        return node
    }

    private mutating func newName() -> String {
        let name = "r\(model.names.count)"
        model.names.append(name)
        return name
    }

    private func set(_ node: HierarchyModel.Node, in record: inout Record, _ id: (String) -> RecordID) {
        record["number"] = node.number
        record["link"] = node.link.map { Reference(recordID: id($0), action: .none) }
        record["owner"] = node.owner.map { Reference(recordID: id($0), action: .deleteSelf) }
        record.setParent(node.parent.map(id))
    }

    /// Throws unless a request fails with a code, or succeeds if the code is `nil`; then it returns `true`.
    private func succeeds(unless code: CabinetError.Code?, _ body: () async throws -> Void) async throws -> Bool {
        var found: CabinetError.Code?
        do {
            try await body()
        } catch let error as CabinetError where error.code == .partialFailure {
            found = error.partialErrorsByItemID.values.map(\.code).first { $0 != .batchRequestFailed }
        } catch let error as CabinetError {
            found = error.code
        }
        try expect("The result of: \(steps.last ?? "")", found, equals: code)
        return code == nil
    }

    private mutating func saveAsOwner(isNew: Bool) async throws {
        guard let name = isNew ? newName() : anyName() else { return }
        var node = newNode(isNew: isNew, name)
        if isNew {
            node.link = anyName()
            if Int.random(in: 0..<4, using: &random) == 0 { node.owner = anyName() }
        }
        steps.append("owner saves \(name): \(node)")
        var after = model
        after.nodes[name] = node
        var record =
            isNew ? Record(recordType: node.type, recordID: id(name)) : try await own.record(for: id(name))
        set(node, in: &record, id)
        if try await succeeds(unless: after.isValid ? nil : .alreadyShared, { [record] in try await own.save(record) })
        {
            model = after
        }
    }

    private mutating func share() async throws {
        guard let root = anyName() else { return }
        let shareName = "s\(steps.count)"
        steps.append("owner shares \(root) as \(shareName)")
        var after = model
        let isShared = model.share(covering: root) != nil
        after.shares[shareName] = .init(root: root)
        var share = Share(rootRecord: Record(recordType: "", recordID: id(root)), shareID: id(shareName))
        for user in Self.participants where Int.random(in: 0..<4, using: &random) > 0 {
            let permission: Share.ParticipantPermission = Bool.random(using: &random) ? .readWrite : .readOnly
            share.addParticipant(Share.Participant(userRecordName: user, permission: permission))
            after.shares[shareName]?.permissions[user] = permission
        }
        let record = try await own.record(for: id(root))
        let batch = [record.with(["number": model.nodes[root]?.number]), share.record]
        let code: CabinetError.Code? = isShared || !after.isValid ? .alreadyShared : nil
        guard try await succeeds(unless: code, { [own] in try await own.saveAll(batch) }) else { return }
        model = after
        let url = try Share(try await own.record(for: id(shareName))).url
        if let known = urls[root] { try expect("The URL of \(root)", url, equals: known) }
        urls[root] = url
    }

    private mutating func unshare() async throws {
        guard let shareName = model.shares.keys.sorted().randomElement(using: &random),
            let root = model.shares[shareName]?.root
        else { return }
        let sendsRoot = Bool.random(using: &random)
        steps.append("owner deletes the share \(shareName)\(sendsRoot ? " with its root" : "")")
        let records = sendsRoot ? [try await own.record(for: id(root)).with(["number": model.nodes[root]?.number])] : []
        let (saved, _) = try await own.modifyRecords(saving: records, deleting: [id(shareName)])
        if let result = saved[id(root)] { try expect("The share", try result.get().share, equals: nil) }
        model.shares[shareName] = nil
    }

    private mutating func acceptOrLeave() async throws {
        guard let user = Self.participants.randomElement(using: &random), let container = containers[user],
            let shareName = model.shares.keys.sorted().randomElement(using: &random),
            let shared = model.shares[shareName], let url = urls[shared.root]
        else { return }
        if shared.accepted.contains(user), Int.random(in: 0..<3, using: &random) == 0 {
            steps.append("\(user) leaves \(shareName)")
            try await container.sharedDatabase.deleteRecord(withID: sharedID(shareName))
            model.shares[shareName]?.accepted.remove(user)
            model.shares[shareName]?.permissions[user] = nil
            return
        }
        steps.append("\(user) accepts \(shareName)")
        let code: CabinetError.Code? = shared.permissions[user] == nil ? .permissionFailure : nil
        let isAccepted = try await succeeds(unless: code) {
            let metadata = try await container.shareMetadata(for: url)
            try expect(
                "The root", metadata.hierarchicalRootRecordID, equals: sharedID(shared.root))
            try await container.accept(metadata)
        }
        if isAccepted { model.shares[shareName]?.accepted.insert(user) }
    }

    private mutating func invite() async throws {
        guard let user = Self.participants.randomElement(using: &random),
            let shareName = model.shares.keys.sorted().randomElement(using: &random)
        else { return }
        var share = try Share(try await own.record(for: id(shareName)))
        if Int.random(in: 0..<3, using: &random) == 0 {
            steps.append("owner removes \(user) from \(shareName)")
            share.removeParticipant(Share.Participant(userRecordName: user))
            model.shares[shareName]?.permissions[user] = nil
            model.shares[shareName]?.accepted.remove(user)
        } else {
            let permission: Share.ParticipantPermission = Bool.random(using: &random) ? .readWrite : .readOnly
            steps.append("owner gives \(user) \(permission) in \(shareName)")
            share.addParticipant(Share.Participant(userRecordName: user, permission: permission))
            model.shares[shareName]?.permissions[user] = permission
        }
        try await own.save(share)
    }

    private mutating func delete(as user: String?) async throws {
        guard let name = anyName() else { return }
        steps.append("\(user ?? "owner") deletes \(name)")
        let database = if let user { try database(of: user) } else { own }
        let recordID = user == nil ? id(name) : sharedID(name)
        let isHidden = user.map { !model.sees(name, $0) } ?? false
        let code = model.failure(deleting: name, by: user)
        if try await succeeds(unless: code, { try await database.deleteRecord(withID: recordID) }), !isHidden {
            model.remove(model.cascade(name))
        }
    }

    private mutating func saveAsParticipant() async throws {
        guard let user = Self.participants.randomElement(using: &random) else { return }
        let isNew = Bool.random(using: &random)
        guard let name = isNew ? newName() : anyName() else { return }
        var node = newNode(isNew: isNew, name)
        let isSeen = model.sees(name, user)
        // A record that the user does not see has no fields that the user knows.
        if !isSeen { (node.link, node.owner) = (nil, nil) }
        steps.append("\(user) saves \(name): \(node)")
        let database = try database(of: user)
        let code = model.failure(saving: name, node, by: user)
        var record = Record(recordType: node.type, recordID: sharedID(name))
        if isSeen { record = try await database.record(for: sharedID(name)) }
        set(node, in: &record, sharedID)
        if try await succeeds(unless: code, { [record] in try await database.save(record) }) {
            model.nodes[name] = node
        }
    }
}
