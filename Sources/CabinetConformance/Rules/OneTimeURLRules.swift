import Cabinet
import Foundation

extension ConformanceRule {
    /// The URLs that make the first user that opens them a participant.
    static let oneTimeURLs: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "the first user that opens a one-time URL becomes its participant",
            law:
                "A one-time URL opens the share for one user, who has the participant's ID and permission; for others it leads nowhere.",
            source: .cloudKit("CKShareParticipant.h, oneTimeURLParticipant; CKShare.h, oneTimeURLForParticipantID:")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID)
            var guest = Share.Participant.oneTimeURLParticipant()
            guest.permission = .readWrite
            share.addParticipant(guest)
            try expect("The URL before a save", share.oneTimeURL(for: guest.participantID), equals: nil)
            share = try await scene.own.save(share)
            let url = try require(share.oneTimeURL(for: guest.participantID), "The one-time URL")
            try expect(url != share.url, "The one-time URL is the share's.")
            try expect("The user before", share.participants.last?.userRecordName, equals: "")
            try expect("The URL of the owner", share.oneTimeURL(for: share.participants[0].participantID), equals: nil)
            let metadata = try await scene.ben.shareMetadata(for: url)
            try expect("The state", metadata.participantStatus, equals: .pending)
            try expect("The permission", metadata.participantPermission, equals: .readWrite)
            try expect("The role", metadata.participantRole, equals: .privateUser)
            // No other user joins, by the metadata or by the share's own URL.
            try await expectError(.permissionFailure) {
                try await scene.dora.shareMetadata(for: try require(share.url, "The URL"))
            }
            for _ in 0..<2 { try await scene.ben.accept(metadata) }
            share = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            try expect("The participants", share.participants.map(\.userRecordName), equals: ["_anna", "_ben"])
            try expect("The participant", share.participants[1].participantID, equals: guest.participantID)
            try expect("The new state", share.participants[1].acceptanceStatus, equals: .accepted)
            let unknown = try await expectError(.permissionFailure) {
                try await scene.dora.shareMetadata(for: url.deletingLastPathComponent().appendingPathComponent("none"))
            }
            let late = try await expectError(.permissionFailure) { try await scene.dora.shareMetadata(for: url) }
            try expect("The answer to another user", late.message, equals: unknown.message)
            try await expectError(.permissionFailure) { try await scene.dora.accept(metadata) }
            for url in [url, try require(share.url, "The URL")] {
                let again = try await scene.ben.shareMetadata(for: url)
                try expect("The later state", again.participantStatus, equals: .accepted)
            }
            let milk = try await scene.ben.sharedDatabase.record(for: SharingScene.shared("milk"))
            try await scene.ben.sharedDatabase.save(milk.with(["name": "Oat milk"]))
        },
        ConformanceRule(
            .sharing, "a one-time URL is stable, belongs to one participant, and ends with it",
            law:
                "Later saves keep the URL of each participant. Other participants do not see it, and it leads nowhere after a removal.",
            source: .cloudKit("CKShare.h, oneTimeURLForParticipantID:")
        ) { world in
            let scene = try await world.sharedScene()
            let guests = (0..<2).map { _ in Share.Participant.oneTimeURLParticipant() }
            var share = try await scene.change { share in for guest in guests { share.addParticipant(guest) } }
            let urls = guests.map { share.oneTimeURL(for: $0.participantID) }
            try expect("The number of URLs", Set(urls.compactMap(\.self)).count, equals: 2)
            share = try await scene.change { $0[Share.SystemFieldKey.title] = "Food" }
            try expect("The URLs", guests.map { share.oneTimeURL(for: $0.participantID) }, equals: urls)
            let seen = try await scene.reader.share(forZoneWith: SharingScene.sharedID)
            try expect("The participants that a reader sees", seen.participants.count, equals: 5)
            for guest in guests { try expect("A reader's URL", seen.oneTimeURL(for: guest.participantID), equals: nil) }
            let (first, second) = (try require(urls[0], "The first URL"), try require(urls[1], "The second URL"))
            // A user that takes part already stays the same participant.
            let own = try await scene.ben.shareMetadata(for: first)
            try expect("The permission", own.participantPermission, equals: .readOnly)
            try expect("The state", own.participantStatus, equals: .accepted)
            share = try await scene.change { $0.removeParticipant(guests[0]) }
            try await expectError(.permissionFailure) { try await scene.dora.shareMetadata(for: first) }
            try await scene.dora.accept(try await scene.dora.shareMetadata(for: second))
            share = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            try expect(
                "The users", Set(share.participants.map(\.userRecordName)), equals: ["_anna", "_ben", "_cleo", "_dora"])
            try await scene.change { share in
                share.removeParticipant(try require(share.participant(for: RecordID(recordName: "_dora")), "Dora"))
            }
            try await expectError(.permissionFailure) { try await scene.dora.shareMetadata(for: second) }
            try await scene.expectNothing(scene.dora)
        },
        ConformanceRule(
            .sharing, "a one-time URL opens a hierarchy",
            law: "A participant of a hierarchy by a one-time URL sees the root and what is below it, and nothing else.",
            source: .cloudKit("CKShareParticipant.h, oneTimeURLParticipant")
        ) { world in
            let scene = try await world.hierarchyScene()
            let guest = Share.Participant.oneTimeURLParticipant()
            var share = try Share(try await scene.own.record(for: SharingScene.listShareID))
            share.addParticipant(guest)
            share = try await scene.own.save(share)
            let url = try require(share.oneTimeURL(for: guest.participantID), "The one-time URL")
            let metadata = try await scene.dora.shareMetadata(for: url, shouldFetchRootRecord: true)
            try expect("The root", metadata.rootRecord?.recordID, equals: SharingScene.shared("list"))
            try await scene.dora.accept(metadata)
            try expect("The records", try await scene.names(scene.dora.sharedDatabase), equals: SharingScene.covered)
        },
        ConformanceRule(
            .sharing, "a participant stays the same after a user has opened its one-time URL",
            law:
                "The value that was added changes and removes the participant later too, and a share that has it twice is refused.",
            source: .cloudKit("CKShareParticipant.h, oneTimeURLParticipant")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID)
            var guest = Share.Participant.oneTimeURLParticipant()
            share.addParticipant(guest)
            share = try await scene.own.save(share)
            let before: [String] = try require(share.record["cloudkit.participants"], "The participants before")
            let url = try require(share.oneTimeURL(for: guest.participantID), "The one-time URL")
            try await scene.ben.accept(try await scene.ben.shareMetadata(for: url))
            guest.permission = .readWrite
            share = try await scene.change { $0.addParticipant(guest) }
            try expect("The participants", share.participants.map(\.userRecordName), equals: ["_anna", "_ben"])
            try expect("The permission", share.participants[1].permission, equals: .readWrite)
            try expect("The state", share.participants[1].acceptanceStatus, equals: .accepted)
            // The stored form, as a forged request has it.
            let after: [String] = try require(share.record["cloudkit.participants"], "The participants after")
            let twice = after + before.suffix(1)
            let forged = share.record.with(["cloudkit.participants": twice])
            try await expectError(.invalidArguments) { try await scene.own.save(forged) }
            share = try await scene.change { $0.removeParticipant(guest) }
            try expect("The remaining participants", share.participants.map(\.userRecordName), equals: ["_anna"])
            try await scene.expectNothing(scene.ben)
        },
    ]
}
