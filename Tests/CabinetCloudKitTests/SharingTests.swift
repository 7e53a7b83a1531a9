import Cabinet
@testable import CabinetCloudKit
import CabinetSQLite
import CabinetTesting
import Foundation
import Synchronization
import Testing

/// Two users of one store, one of which owns a zone with a record.
private struct Scene {
    let anna: CKContainer
    let ben: CKContainer
    let zone: CKRecordZone
    let benID: CKRecord.ID

    var own: CKDatabase { anna.privateCloudDatabase }
    var shared: CKDatabase { ben.sharedCloudDatabase }

    /// The zone as the participant names it.
    var sharedID: CKRecordZone.ID { CKRecordZone.ID(zoneName: "Lists", ownerName: "_anna") }

    init(_ backend: any StorageBackend = MemoryBackend()) async throws {
        func container(_ user: String) -> CKContainer {
            CKContainer(
                identifier: "iCloud.com.example.sharing", backend: backend,
                options: .init(account: Account(userRecordName: user)))
        }
        (anna, ben) = (container("_anna"), container("_ben"))
        zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Lists"))
        benID = try await ben.userRecordID()
        let milk = CKRecord(recordType: "Items", recordID: .init(recordName: "milk", zoneID: zone.zoneID))
        milk["name"] = "Milk"
        try await own.save(milk)
    }

    /// Shares the zone with the other user, who has not accepted.
    func share() async throws -> CKShare {
        let share = CKShare(recordZoneID: zone.zoneID)
        share[CKShare.SystemFieldKey.title] = "Groceries"
        let participant = try await anna.shareParticipant(forUserRecordID: benID)
        share.addParticipant(participant)
        participant.permission = .readWrite
        #expect(try await own.save(share) === share)
        return share
    }

    /// Shares the zone with the other user, who has accepted.
    func accepted() async throws -> CKShare {
        let share = try await share()
        try await ben.accept(try await ben.shareMetadata(for: try #require(share.url)))
        return share
    }
}

extension CKContainer {
    /// Runs an operation to its end.
    fileprivate func run(_ operation: CKOperation) async {
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            add(operation)
        }
    }
}

@Suite("Shares through CloudKit's classes")
struct SharingTests {
    @Test("a one-time URL invites without a name, and a user asks, is approved, and is blocked")
    func invitations() async throws {
        let scene = try await Scene()
        let share = CKShare(recordZoneID: scene.zone.zoneID)
        share.allowsAccessRequests = true
        let guest = CKShare.Participant.oneTimeURLParticipant()
        guest.permission = .readWrite
        share.addParticipant(guest)
        try await scene.own.save(share)
        #expect(guest.userIdentity.userRecordID == nil && guest.permission == .readWrite)
        let once = try #require(share.oneTimeURL(for: guest.participantID))
        let url = try #require(share.url)

        let operation = CKShareRequestAccessOperation(shareURLs: [url])
        let results = Mutex<[Bool]>([])
        operation.perShareAccessRequestResultBlock = { _, result in
            results.withLock { $0.append((try? result.get()) != nil) }
        }
        await scene.ben.run(operation)
        #expect(results.withLock { $0 } == [true])
        var fetched = try #require(try await scene.own.record(for: share.recordID) as? CKShare)
        #expect(fetched.requesters.map(\.userIdentity.userRecordID) == [scene.benID])
        fetched.denyRequesters(fetched.requesters)
        try await scene.own.save(fetched)
        #expect(fetched.requesters.isEmpty)

        try await scene.ben.accept(try await scene.ben.shareMetadata(for: once))
        fetched = try #require(try await scene.own.record(for: share.recordID) as? CKShare)
        #expect(fetched.participants.last?.participantID == guest.participantID)
        #expect(fetched.participants.last?.userIdentity.userRecordID == scene.benID)
        #expect(fetched.oneTimeURL(for: guest.participantID) == once)
    }

    @Test("a zone is shared, described, accepted, worked on and left", arguments: CloudStore.allCases)
    func life(_ store: CloudStore) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend: any StorageBackend = store == .memory ? MemoryBackend() : SQLiteBackend(directory: folder)
        let scene = try await Scene(backend)
        let share = try await scene.share()
        #expect(share.recordChangeTag != nil && share.owner.userIdentity.userRecordID?.recordName == "_anna")
        #expect(share.currentUserParticipant == share.owner && share.participants.count == 2)
        #expect(share.participants.last?.acceptanceStatus == .pending)
        #expect(share.allKeys() == [CKShare.SystemFieldKey.title] && share.changedKeys().isEmpty)
        let url = try #require(share.url)
        let metadata = try await scene.ben.shareMetadata(for: url)
        #expect(metadata.participantStatus == .pending && metadata.participantPermission == .readWrite)
        #expect(metadata.participantRole == .privateUser && metadata.ownerIdentity == share.owner.userIdentity)
        #expect(metadata.share[CKShare.SystemFieldKey.title] == "Groceries" && metadata.rootRecord == nil)
        #expect(await code { try await scene.shared.record(for: metadata.share.recordID) } == .zoneNotFound)
        let accepted = try await scene.ben.accept(metadata)
        #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
        #expect(accepted.currentUserParticipant?.userIdentity.userRecordID == scene.benID)

        // The participant reads, writes, and finds the share of the zone.
        let found = try await scene.shared.allRecordZones()
        #expect(found.map(\.zoneID) == [scene.sharedID] && found.first?.share?.recordID == accepted.recordID)
        let item = try await scene.shared.record(for: .init(recordName: "milk", zoneID: scene.sharedID))
        item["name"] = "Oat milk"
        try await scene.shared.save(item)
        let page = try await scene.shared.recordZoneChanges(
            inZoneWith: scene.sharedID, since: nil, desiredKeys: ["name"])
        let records = page.modificationResultsByID.values.compactMap { try? $0.get().record }
        #expect(records.count == 2)
        let inFeed = try #require(records.compactMap { $0 as? CKShare }.first)
        #expect(inFeed.participants == accepted.participants && inFeed.url == url)

        // The participant leaves.
        try await scene.shared.deleteRecord(withID: accepted.recordID)
        #expect(try await scene.shared.allRecordZones() == [])
        let left = try #require(try await scene.own.record(for: share.recordID) as? CKShare)
        #expect(left.participants.map(\.role) == [.owner])
        await backend.close()
    }

    @Test("participants are views of their share, whose changes are changes of it")
    func participants() async throws {
        let scene = try await Scene()
        let share = CKShare(recordZoneID: scene.zone.zoneID)
        #expect(share.participants.map(\.role) == [.owner] && share.url == nil)
        #expect(share.currentUserParticipant == share.owner && share.publicPermission == .none)
        let participant = try await scene.anna.shareParticipant(forUserRecordID: scene.benID)
        #expect(participant.permission == .readOnly && participant.acceptanceStatus == .pending)
        share.addParticipant(participant)
        share.addParticipant(try await scene.anna.shareParticipant(forUserRecordID: scene.benID))
        #expect(share.participants == [share.owner, participant])
        try await scene.own.save(share)
        try await scene.ben.accept(try await scene.ben.shareMetadata(for: try #require(share.url)))
        let fetched = try #require(try await scene.own.record(for: share.recordID) as? CKShare)
        let copy = try #require(fetched.copy() as? CKShare)
        fetched.participants.last?.permission = .readWrite
        fetched.participants.last?.role = .administrator
        #expect(fetched.participants.last?.permission == .readWrite && copy.participants.last?.permission == .readOnly)
        try await scene.own.save(fetched)
        #expect(fetched.participants.last?.acceptanceStatus == .accepted)

        // An administrator changes the share; a conflict has the server's share.
        let shared = try #require(
            try await scene.shared.recordZone(for: scene.sharedID).share?.recordID)
        let theirs = try #require(try await scene.shared.record(for: shared) as? CKShare)
        #expect(theirs.currentUserParticipant?.role == .administrator)
        theirs["color"] = 3
        try await scene.shared.save(theirs)
        fetched["color"] = 4
        do {
            try await scene.own.save(fetched)
            Issue.record("The share was saved.")
        } catch let error as CKError {
            let server = try #require(error.serverRecord as? CKShare)
            #expect(server["color"] == 3 && server.currentUserParticipant == server.owner)
            #expect(error.clientRecord === fetched)
        }
        let current = try #require(try await scene.own.record(for: share.recordID) as? CKShare)
        let removed = try #require(current.participants.last)
        current.removeParticipant(removed)
        removed.permission = .readWrite
        #expect(current.participants == [current.owner])
        current.publicPermission = .readOnly
        try await scene.own.save(current)
        #expect(current.publicPermission == .readOnly)
        #expect(await code { try await scene.shared.record(for: shared) } == .zoneNotFound)
        let opened = try await scene.ben.shareMetadata(for: try #require(share.url))
        #expect(opened.participantRole == .publicUser && opened.share.currentUserParticipant == nil)
    }

    @Test("operations describe and accept shares, find participants, and call both families of blocks")
    func operations() async throws {
        let scene = try await Scene()
        let url = try #require(try await scene.share().url)
        let unknown = try #require(URL(string: "cabinet://share/AAAAAAAAAAAAAAAAAAAAAA"))
        let log = Mutex<[String]>([])
        @Sendable func add(_ line: String) { log.withLock { $0.append(line) } }

        let fetch = CKFetchShareMetadataOperation(shareURLs: [url, unknown])
        let metadatas = Mutex<[CKShare.Metadata]>([])
        fetch.perShareMetadataResultBlock = { _, result in
            if case .success(let metadata) = result { metadatas.withLock { $0.append(metadata) } }
        }
        fetch.perShareMetadataBlock = {
            add("\($0 == url) \($1 != nil) \(($2 as? CKError)?.code == .permissionFailure)")
        }
        fetch.fetchShareMetadataResultBlock = { if case .success = $0 { add("end") } }
        fetch.fetchShareMetadataCompletionBlock = {
            add("\(($0 as? CKError)?.partialErrorsByItemID?.keys.contains(unknown) == true)")
        }
        await scene.ben.run(fetch)
        #expect(log.withLock { $0 } == ["true true false", "false false true", "end", "true"])

        log.withLock { $0 = [] }
        let accept = CKAcceptSharesOperation(shareMetadatas: metadatas.withLock { $0 })
        accept.perShareResultBlock = {
            add("\((try? $1.get())?.currentUserParticipant?.acceptanceStatus == .accepted)")
        }
        accept.perShareCompletionBlock = { add("\($1 != nil && $2 == nil)") }
        accept.acceptSharesResultBlock = { if case .success = $0 { add("end") } }
        accept.acceptSharesCompletionBlock = { add("\($0 == nil)") }
        await scene.ben.run(accept)
        #expect(log.withLock { $0 } == ["true", "true", "end", "true"])

        log.withLock { $0 = [] }
        let find = CKFetchShareParticipantsOperation(userIdentityLookupInfos: [.init(userRecordID: scene.benID)])
        find.shareParticipantFetchedBlock = { add($0.userIdentity.userRecordID?.recordName ?? "") }
        find.fetchShareParticipantsResultBlock = { if case .success = $0 { add("end") } }
        await scene.anna.run(find)
        find.userIdentityLookupInfos?.append(.init(emailAddress: "b@example.com"))
        let findByMail = CKFetchShareParticipantsOperation(
            userIdentityLookupInfos: [.init(userRecordID: scene.benID), .init(emailAddress: "b@example.com")])
        findByMail.perShareParticipantResultBlock = { _, result in
            switch result {
            case .success: add("found")
            case .failure(let error): add("\((error as? CKError)?.code == .unknownItem)")
            }
        }
        findByMail.fetchShareParticipantsCompletionBlock = {
            add("\(($0 as? CKError)?.code == .partialFailure)")
        }
        await scene.anna.run(findByMail)
        #expect(log.withLock { $0 } == ["_ben", "end", "found", "true", "true"])
    }

    @Test("descriptions of another user or container are refused")
    func refusals() async throws {
        let scene = try await Scene()
        let share = try await scene.accepted()
        let metadata = try await scene.ben.shareMetadata(for: try #require(share.url))
        let other = CKContainer(identifier: "iCloud.other", backend: MemoryBackend())
        #expect(await code { try await other.accept(metadata) } == .invalidArguments)
        try await scene.own.deleteRecord(withID: share.recordID)
        #expect(await code { try await scene.ben.accept(metadata) } == .permissionFailure)
        let results = try await scene.ben.accept([metadata])
        #expect(await code { try results[metadata]?.get() } == .permissionFailure)
        #expect(try await scene.own.recordZone(for: scene.zone.zoneID).share == nil)
        let none = CKContainer(
            identifier: "iCloud.com.example.sharing", backend: MemoryBackend(), options: .init(account: nil))
        #expect(await code { try await none.accept([metadata]) } == .notAuthenticated)
    }

    @Test("a record is shared with what is below it, and with nothing else")
    func hierarchies() async throws {
        let scene = try await Scene()
        func id(_ name: String, _ zoneID: CKRecordZone.ID) -> CKRecord.ID { .init(recordName: name, zoneID: zoneID) }
        let root = CKRecord(recordType: "Lists", recordID: id("list", scene.zone.zoneID))
        let child = CKRecord(recordType: "Items", recordID: id("bread", scene.zone.zoneID))
        child.setParent(root)
        let share = CKShare(rootRecord: root)
        #expect(await code { try await scene.own.save(share) } == .invalidArguments)
        share.addParticipant(try await scene.anna.shareParticipant(forUserRecordID: scene.benID))
        let results = try await scene.own.modifyRecords(saving: [root, share, child], deleting: [], atomically: true)
        #expect(results.saveResults.count == 3 && share.url != nil && root.share?.recordID == share.recordID)
        let metadata = try await scene.ben.shareMetadata(for: try #require(share.url))
        #expect(metadata.hierarchicalRootRecordID == id("list", scene.sharedID))
        try await scene.ben.accept(metadata)
        let shared = scene.ben.sharedCloudDatabase
        #expect(
            try await shared.record(for: id("bread", scene.sharedID)).parent?.recordID
                == metadata.hierarchicalRootRecordID)
        #expect(await code { try await shared.record(for: id("milk", scene.sharedID)) } == .unknownItem)
        let second = CKShare(rootRecord: child)
        let refused = try await scene.own.modifyRecords(saving: [child, second], deleting: [], atomically: false)
        #expect(await code { try refused.saveResults[second.recordID]?.get() } == .alreadyShared)
        try await scene.own.deleteRecord(withID: share.recordID)
        #expect(try await scene.own.record(for: root.recordID).share == nil)
        #expect(await code { try await shared.record(for: id("bread", scene.sharedID)) } == .zoneNotFound)
    }

    @Test("a service without shares refuses them with an error that is thrown")
    func services() async throws {
        let original = try Container(identifier: "iCloud.none", backend: MemoryBackend())
        let container = CKContainer(
            identifier: "iCloud.none",
            registry: ContainerRegistry(original.over(ServiceWithoutShares(base: original.service)), .init()))
        let zone = try await container.privateCloudDatabase.save(CKRecordZone(zoneName: "Lists"))
        let share = CKShare(recordZoneID: zone.zoneID)
        let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zone.zoneID))
        for isAtomic in [true, false] {
            let error = await code {
                try await container.privateCloudDatabase.modifyRecords(
                    saving: [record, share], deleting: [], atomically: isAtomic)
            }
            #expect(error == .serverRejectedRequest)
        }
        let url = try #require(URL(string: "cabinet://share/AAAAAAAAAAAAAAAAAAAAAA"))
        #expect(await code { try await container.shareMetadatas(for: [url]) } == .serverRejectedRequest)
    }

    @Test("a share of system fields has its participants, and its save loses none", arguments: [false, true])
    func systemFields(_ isOfRecord: Bool) async throws {
        let scene = try await Scene()
        let root = try await scene.own.record(for: .init(recordName: "milk", zoneID: scene.zone.zoneID))
        let share = isOfRecord ? CKShare(rootRecord: root) : CKShare(recordZoneID: scene.zone.zoneID)
        share.addParticipant(try await scene.anna.shareParticipant(forUserRecordID: scene.benID))
        share["color"] = 3
        _ = try await scene.own.modifyRecords(saving: isOfRecord ? [root, share] : [share], deleting: [])
        try await scene.ben.accept(try await scene.ben.shareMetadata(for: try #require(share.url)))
        let fetched = try #require(try await scene.own.record(for: share.recordID) as? CKShare)
        // Unsaved changes are not archived.
        fetched.participants.last?.permission = .readWrite
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        fetched.encodeSystemFields(with: coder)
        coder.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
        unarchiver.requiresSecureCoding = true
        let restored = try #require(CKShare(coder: unarchiver))
        #expect(restored.recordChangeTag == fetched.recordChangeTag && restored.url == share.url)
        #expect(restored.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        #expect(restored.participants.last?.permission == .readOnly && restored.publicPermission == .none)
        #expect(restored.currentUserParticipant == restored.owner)
        #expect(restored.allKeys().isEmpty && restored.changedKeys().isEmpty)

        let danID = CKRecord.ID(recordName: "_dan")
        restored.addParticipant(try await scene.anna.shareParticipant(forUserRecordID: danID))
        try await scene.own.save(restored)
        let saved = try #require(try await scene.own.record(for: share.recordID) as? CKShare)
        let names = saved.participants.map { $0.userIdentity.userRecordID?.recordName }
        #expect(names == ["_anna", "_ben", "_dan"] && saved.participants[1].acceptanceStatus == .accepted)
        #expect(saved["color"] == 3 && saved.url == share.url)
    }

    @Test("participants of the same user or address are equal")
    func equality() async throws {
        let scene = try await Scene()
        let share = try await scene.share()
        let again = try await scene.anna.shareParticipant(forUserRecordID: scene.benID)
        #expect(share.participants.contains(again) && share.participants.last?.participantID != again.participantID)
        #expect(share.participants.last?.hash == again.hash && share.owner != again)
        let guest = CKShare.Participant.oneTimeURLParticipant()
        #expect(guest != CKShare.Participant.oneTimeURLParticipant() && guest.isEqual(guest.copy()))
    }

    @Test("a share without its participants refuses a change of them, and keeps the server's")
    func unknownParticipants() async throws {
        let scene = try await Scene()
        let share = try await scene.own.record(for: scene.accepted().recordID)
        func restored() throws -> CKShare {
            CKShare(try Record(systemFields: share.value.encodeSystemFields()), of: "_anna")
        }
        let added = try restored()
        added.addParticipant(
            try await scene.anna.shareParticipant(forUserRecordID: CKRecord.ID(recordName: "_dan")))
        #expect(await code { try await scene.own.save(added) } == .invalidArguments)
        let changed = try restored()
        changed["color"] = 3
        try await scene.own.save(changed)
        let saved = try #require(try await scene.own.record(for: share.recordID) as? CKShare)
        #expect(saved.participants.count == 2 && saved["color"] == 3)
    }

    @Test("a member that was set to another value fails the save of its share")
    func damage() async throws {
        let scene = try await Scene()
        let share = CKShare(recordZoneID: scene.zone.zoneID)
        share["cloudkit.participants"] = "?"
        #expect(share.participants.count == 1 && share.publicPermission == .unknown)
        share.publicPermission = .readOnly
        #expect(await code { try await scene.own.save(share) } == .invalidArguments)
    }
}

/// A service that refuses shares as one without sharing does.
private struct ServiceWithoutShares: WrappingService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let hasShares = (request as? ModifyRecordsRequest)?.hasShares ?? (request is FetchShareMetadataRequest)
        if hasShares { throw CabinetError(.serverRejectedRequest, "The service has no shares.") }
        return try await base.perform(request, for: caller)
    }
}
