import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// The ways of a user into a share.
    static let acceptance: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "metadata show the share and the user's part in it",
            law:
                "The metadata of a URL have the share, its zone with the owner's name, and the user's role, state and permission.",
            source: .cloudKit("CKShareMetadata.h")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID)
            share[Share.SystemFieldKey.title] = "Groceries"
            share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
            share = try await scene.own.save(share)
            let url = try require(share.url, "The URL")
            for status in [Share.ParticipantAcceptanceStatus.pending, .accepted] {
                let metadata = try await scene.ben.shareMetadata(for: url)
                try expect("The container", metadata.containerIdentifier, equals: scene.ben.containerIdentifier)
                try expect("The zone", metadata.zoneID, equals: SharingScene.sharedID)
                try expect("The owner", metadata.ownerUserRecordName, equals: "_anna")
                try expect("The title", metadata.share[Share.SystemFieldKey.title], equals: "Groceries")
                try expect("The URL", metadata.share.url, equals: url)
                try expect("The role", metadata.participantRole, equals: .privateUser)
                try expect("The permission", metadata.participantPermission, equals: .readWrite)
                try expect("The state", metadata.participantStatus, equals: status)
                let accepted = try await scene.ben.accept(metadata)
                try expect("The accepted share", accepted.recordID, equals: SharingScene.sharedShareID)
            }
            let own = try await scene.anna.shareMetadata(for: url)
            try expect("The owner's role", own.participantRole, equals: .owner)
            try expect("The owner's zone", try await scene.anna.accept(own).recordID.zoneID.zoneName, equals: "Lists")
            try expect("The owner's shared zones", try await scene.anna.sharedDatabase.allRecordZones(), equals: [])
            let server = try require(
                URL(string: "https://example.com/share/\(url.lastPathComponent)#Groceries"), "A URL")
            try expect(
                "The zone by a server's URL", try await scene.ben.shareMetadata(for: server).zoneID,
                equals: SharingScene.sharedID)
        },
        ConformanceRule(
            .sharing, "a user is found by the name of the user's record",
            law:
                "A look-up by the name of a user's record gives a participant with that name; one by an address needs a list of users.",
            source: .cloudKit("CKFetchShareParticipantsOperation.h")
        ) { world in
            let scene = try await world.sharingScene()
            let ben = try await scene.anna.shareParticipant(forUserRecordID: try await scene.ben.userRecordID())
            try expect("The name", ben.userRecordName, equals: "_ben")
            try expect("The permission", ben.permission, equals: .readOnly)
            try await expectError(.unknownItem) {
                try await scene.anna.shareParticipant(forEmailAddress: "nobody@example.com")
            }
            let found = try await scene.anna.shareParticipants(for: [
                .userRecordName("_cleo"), .phoneNumber("+41 44 668 18 00"),
            ])
            try expect("The participants", found.values.compactMap { try? $0.get().userRecordName }, equals: ["_cleo"])
            let many = (0...FindUsersRequest.maximumCount).map { UserLookup.userRecordName("_\($0)") }
            try await expectError(.limitExceeded) {
                try await scene.anna.shareParticipants(for: many)
            }
        },
        ConformanceRule(
            .sharing, "a share that a user may not open seems not to exist",
            law:
                "For another user, the URL of a share, of a deleted one and of none have the same error: permissionFailure.",
            source: .cloudKit("CKError.h, permissionFailure")
        ) { world in
            let scene = try await world.sharedScene()
            let share = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            let url = try require(share.url, "The URL")
            let other = try await scene.own.save(Share(recordZoneID: SharingScene.otherID))
            let deleted = try require(other.url, "The URL")
            try await scene.own.deleteRecord(withID: other.recordID)
            let unknown = try require(URL(string: "cabinet://share/AAAAAAAAAAAAAAAAAAAAAA"), "A URL")
            let malformed = try require(URL(string: "cabinet://share/x"), "A URL")
            let urls = [url, deleted, unknown, malformed]
            var errors: Set<String> = []
            for url in urls {
                let error = try await expectError(.permissionFailure) { try await scene.dora.shareMetadata(for: url) }
                errors.insert("\(error)")
            }
            let results = try await scene.dora.shareMetadatas(for: urls)
            for url in urls {
                guard case .failure(let error) = results[url] else {
                    throw ConformanceFailure(
                        message: "The share of \(url) was found.", fileID: #fileID, line: #line)
                }
                errors.insert("\(error)")
            }
            try expect("The number of different errors", errors.count, equals: 1)
            let metadata = try await scene.ben.shareMetadata(for: url)
            try await expectError(.permissionFailure) { try await scene.dora.accept(metadata) }
            try await scene.expectNothing(scene.dora)
        },
        ConformanceRule(
            .sharing, "nothing is seen before a share is accepted",
            law:
                "An invited user sees nothing of the zone by any request until the share is accepted, and then all of it.",
            source: .cloudKit("CKShareParticipant.h, acceptanceStatus")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID)
            share.addParticipant(Share.Participant(userRecordName: "_ben"))
            share = try await scene.own.save(share)
            try await scene.expectNothing(scene.ben)
            for _ in 1...2 {
                let accepted = try await scene.ben.accept(share)
                try expect("The participants", accepted.participants.map(\.userRecordName), equals: ["_anna", "_ben"])
                try expect("Ben's state", accepted.participants.last?.acceptanceStatus, equals: .accepted)
                let zones = try await scene.reader.allRecordZones().map(\.zoneID)
                try expect("The zones", zones, equals: [SharingScene.sharedID])
                let found = try await scene.reader.allRecords(
                    matching: SharingScene.items, inZoneWith: SharingScene.sharedID)
                try expect("The records", found.map(\.recordID), equals: ["bread", "milk"].map(SharingScene.shared))
            }
            try expect(
                "Ben's state, as the owner sees it",
                try await scene.change { _ in }.participants.last?.acceptanceStatus, equals: .accepted)
        },
        ConformanceRule(
            .sharing, "a public share admits every user that knows its URL",
            law:
                "A user that opens a public share takes part as a public user with its publicPermission, and sees the owner and itself alone.",
            source: .cloudKit("CKShare.h, publicPermission")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID)
            share.publicPermission = .readOnly
            share = try await scene.own.save(share)
            for user in [scene.ben, scene.dora] { try await user.accept(share) }
            let seen = try await scene.reader.share(forZoneWith: SharingScene.sharedID)
            try expect(
                "The participants that Ben sees", seen.participants.map(\.userRecordName), equals: ["_anna", "_ben"])
            try expect("Ben's role", seen.participants.last?.role, equals: .publicUser)
            let item = try await scene.reader.record(for: SharingScene.shared("milk"))
            try await expectError(.permissionFailure) { try await scene.reader.save(item.with(["name": "x"])) }
            try await scene.change { $0.publicPermission = .readWrite }
            try await scene.reader.save(item.with(["name": "x"]))
            try await expectError(.invalidArguments) {
                try await scene.change { $0.addParticipant(Share.Participant(userRecordName: "_cleo")) }
            }
        },
        ConformanceRule(
            .sharing, "a change of the public permission removes participants",
            law:
                "From private to public, those that have not accepted are removed; from public to private, all but those that the same save invites.",
            source: .cloudKit("CKShare.h, publicPermission")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID)
            for name in ["_ben", "_cleo"] { share.addParticipant(Share.Participant(userRecordName: name)) }
            share = try await scene.own.save(share)
            try await scene.ben.accept(share)
            let opened = try await scene.change { $0.publicPermission = .readOnly }
            try expect("The participants", opened.participants.map(\.userRecordName), equals: ["_anna", "_ben"])
            try await scene.dora.accept(share)
            _ = try await scene.dora.sharedDatabase.record(for: SharingScene.shared("milk"))
            let closed = try await scene.change {
                $0.publicPermission = .none
                $0.addParticipant(Share.Participant(userRecordName: "_cleo"))
            }
            try expect("The participants", closed.participants.map(\.userRecordName), equals: ["_anna", "_cleo"])
            for user in [scene.ben, scene.dora] { try await scene.expectNothing(user) }
            for user in [scene.ben, scene.dora] {
                try await expectError(.permissionFailure) { try await user.accept(share) }
            }
            try await scene.cleo.accept(share)
            _ = try await scene.writer.record(for: SharingScene.shared("milk"))

            _ = try await scene.change { $0.publicPermission = .readOnly }
            try await scene.dora.accept(share)
            let invited = try await scene.change {
                $0.publicPermission = .none
                $0.addParticipant(Share.Participant(userRecordName: "_dora"))
            }
            try expect("The participants", invited.participants.map(\.userRecordName), equals: ["_anna", "_dora"])
            try await scene.expectNothing(scene.dora)
            try await scene.dora.accept(share)
            _ = try await scene.dora.sharedDatabase.record(for: SharingScene.shared("milk"))
        },
        ConformanceRule(
            .sharing, "a crash while a share is accepted or left needs no repair",
            law:
                "After a failure of any write of accepting, nothing is seen, and accepting again succeeds; after one of leaving, likewise.",
            source: .cabinet("Sharing")
        ) { world in
            let backend = FaultInjectingBackend(world.backend)
            for number in 1...2 {
                let part = PartitionedBackend(base: backend, name: "\(number)")
                let scene = try await world.sharingScene { account in
                    try Container(
                        identifier: "com.example.conformance", backend: part, account: account, now: world.clock.now)
                }
                var share = Share(recordZoneID: SharingScene.zoneID)
                share.addParticipant(Share.Participant(userRecordName: "_ben"))
                share = try await scene.own.save(share)
                let metadata = try await scene.ben.shareMetadata(for: try require(share.url, "The URL"))
                backend.inject(.failure(.zoneBusy), on: .write, at: number)
                try await expectError(.zoneBusy) { try await scene.ben.accept(metadata) }
                try await scene.expectNothing(scene.ben)
                try await scene.ben.accept(metadata)
                try expect(
                    "The zones", try await scene.reader.allRecordZones().map(\.zoneID), equals: [SharingScene.sharedID])
                _ = try await scene.reader.record(for: SharingScene.shared("milk"))
                backend.inject(.failure(.zoneBusy), on: .write, at: number)
                if number == 1 {
                    try await expectError(.zoneBusy) {
                        try await scene.reader.deleteRecord(withID: SharingScene.sharedShareID)
                    }
                    _ = try await scene.reader.record(for: SharingScene.shared("milk"))
                }
                try await scene.reader.deleteRecord(withID: SharingScene.sharedShareID)
                try await scene.expectNothing(scene.ben)
            }
        },
    ]
}
