import Cabinet
import CabinetTesting
import Foundation

/// The owner of the zones of a shared database.
extension MirrorSimulation {
    private var owner: Container {
        get throws {
            try Container(
                identifier: Self.container, service: server, account: Account(userRecordName: zone.ownerName))
        }
    }

    /// Creates the zones, and shares them with the user of the devices.
    func shareZones() async throws {
        for zoneID in [ids[0].zoneID, zone] {
            let own = RecordZone.ID(zoneName: zoneID.zoneName)
            try await owner.privateDatabase.save(RecordZone(zoneID: own))
            try await accept(Share(recordZoneID: own))
        }
        isShared = true
    }

    /// Ends the share of one zone, or shares it again.
    func changeShare() async {
        isShared.toggle()
        note("the zone is \(isShared ? "shared again" : "no longer shared")")
        do {
            var share = try await owner.privateDatabase.share(forZoneWith: RecordZone.ID(zoneName: zone.zoneName))
            if isShared {
                try await accept(share)
            } else {
                for participant in share.participants where participant.userRecordName == Self.account.userRecordName {
                    share.removeParticipant(participant)
                }
                try await owner.privateDatabase.save(share)
            }
        } catch {
            fail("The share was not changed: \(error)")
        }
        await recordHistory()
    }

    private func accept(_ share: Share) async throws {
        var share = share
        share.addParticipant(Share.Participant(userRecordName: Self.account.userRecordName, permission: .readWrite))
        share = try await owner.privateDatabase.save(share)
        guard let url = share.url else { return fail("The share has no URL.") }
        let user = try Container(identifier: Self.container, service: server, account: Self.account)
        _ = try await user.accept(try await user.shareMetadata(for: url))
    }
}
