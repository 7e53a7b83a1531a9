import Cabinet
import CabinetConformance
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// Shares of the user's own zones through a mirror.
@Suite("Shares of own zones through a mirror")
struct OwnShareTests {
    private static let zone = RecordZone.ID(zoneName: "Trip")
    private static let shareID = RecordID(recordName: Share.zoneWideRecordName, zoneID: zone)

    private static func share() -> Share {
        var share = Share(recordZoneID: zone)
        share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
        return share
    }

    /// Creates the zone on a device, with a note, which is not sent.
    private func create(on device: TestDevice) async throws {
        try await device.database.save(RecordZone(zoneID: Self.zone))
        try await device.set("1", of: "a", in: Self.zone)
    }

    @Test("are saved on the server, after the zone and its records", arguments: RemoteKind.allCases)
    func save(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await create(on: device)
        try await expectError(.unknownItem) { try await device.database.share(forZoneWith: Self.zone) }
        let url = try #require(try await device.database.save(Self.share()).url)
        #expect(device.mirror.status.isIdle)

        let ben = try scene.container(of: "_ben")
        try await ben.accept(try await ben.shareMetadata(for: url))
        let shared = RecordZone.ID(zoneName: Self.zone.zoneName, ownerName: "_ann")
        #expect(try await ben.sharedDatabase.text(of: "a", in: shared) == "1")
        try await ben.sharedDatabase.save(MirrorScene.note("b", "2", in: shared))
        try await device.sync()
        #expect(try await device.text(of: "b", in: Self.zone) == "2")

        // Another device of the owner finds the share, changes it, and ends it.
        let second = try await scene.device()
        try await second.sync()
        var share = try await second.database.share(forZoneWith: Self.zone)
        #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        share[Share.SystemFieldKey.title] = "Our trip"
        try await second.database.save(share)
        #expect(try await device.database.share(forZoneWith: Self.zone)[Share.SystemFieldKey.title] == "Our trip")
        try await second.database.deleteRecord(withID: share.recordID)
        #expect(try await ben.sharedDatabase.allRecordZones().isEmpty)
        for device in [device, second] {
            try await device.sync()
            #expect(device.mirror.status.isIdle)
            #expect(try await device.text(of: "a", in: Self.zone) == "1")
            #expect(try await names(in: device.database) == ["a", "b"])
        }
    }

    private func names(in database: Database) async throws -> [String] {
        var names: [String] = []
        for try await page in database.recordZoneChangeSequence(inZoneWith: Self.zone, since: nil) {
            names += page.modifications.map(\.record.recordID.recordName)
        }
        return names.sorted()
    }

    @Test("need the network, and lose nothing without it")
    func cutOff() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        try await create(on: device)
        device.link.isCutOff = true
        try await expectError(.networkUnavailable) { try await device.database.save(Self.share()) }
        try await expectError(.networkUnavailable) { try await device.database.share(forZoneWith: Self.zone) }
        #expect(try await device.text(of: "a", in: Self.zone) == "1")
        device.link.isCutOff = false
        #expect(try await device.database.save(Self.share()).url != nil)
    }

    @Test("are saved alone, and in a zone that is here")
    func refusals() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        try await expectError(.zoneNotFound) { try await device.database.save(Self.share()) }
        try await create(on: device)
        let note = try await device.database.record(for: RecordID(recordName: "a", zoneID: Self.zone))
        try await expectError(.badDatabase) { try await device.database.save([note, Self.share().record]) }
        try await expectError(.badDatabase) { try await device.database.save([note, Share(rootRecord: note).record]) }
        try await expectError(.badDatabase) {
            try await device.database.transaction { try $0.save(Self.share().record) }
        }
        #expect(try await scene.remote.allRecordZones().map(\.zoneID) == [.default])

        // A zone that was deleted here is not shared.
        try await device.sync()
        try await device.database.deleteRecordZone(withID: Self.zone)
        try await expectError(.zoneNotFound) { try await device.database.save(Self.share()) }
        try await expectError(.zoneNotFound) { try await device.database.share(forZoneWith: Self.zone) }
    }
}
