import Cabinet
import Foundation

extension ConformanceRule {
    /// The users that ask to take part in a share.
    static let accessRequests: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "a user asks for access, and joins after the owner has approved",
            law:
                "A share that allows it has the users that ask, which the owner alone sees. Asking gives no access; adding the user answers.",
            source: .cloudKit("CKShare.h, allowsAccessRequests, requesters; CKShareRequestAccessOperation.h")
        ) { world in
            let scene = try await world.sharedScene()
            var share = try await scene.change { $0.allowsAccessRequests = true }
            try expect(share.allowsAccessRequests, "The share allows no requests.")
            let url = try require(share.url, "The URL")
            for _ in 0..<2 { try await scene.dora.ask(url) }
            // A participant has nothing to ask for.
            try await scene.ben.ask(url)
            share = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            try expect("The requesters", share.requesters.map(\.userRecordName), equals: ["_dora"])
            let seen = try await scene.reader.share(forZoneWith: SharingScene.sharedID)
            try expect("The requesters that a reader sees", seen.requesters, equals: [])
            try await expectError(.permissionFailure) { try await scene.dora.shareMetadata(for: url) }
            try await scene.expectNothing(scene.dora)
            share = try await scene.change { share in
                share.addParticipant(Share.Participant(userRecordName: "_dora", permission: .readWrite))
            }
            try expect("The requesters after the answer", share.requesters, equals: [])
            try await scene.dora.accept(share)
            _ = try await scene.dora.sharedDatabase.record(for: SharingScene.shared("milk"))
        },
        ConformanceRule(
            .sharing, "a share that allows no requests seems not to exist for users that ask",
            law: "The answer is that to an unknown URL, for a share that allows none, and for a user that is blocked.",
            source: .cloudKit("CKShare.h, allowsAccessRequests, blockedIdentities")
        ) { world in
            let scene = try await world.sharedScene()
            let share = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            let url = try require(share.url, "The URL")
            let unknown = url.deletingLastPathComponent().appendingPathComponent("AAAAAAAAAAAAAAAAAAAAAA")
            let results = try await scene.dora.requestShareAccess(for: [url, unknown])
            let answers = try [url, unknown].map { url in
                if case .failure(let error)? = results[url] { return error }
                return try require(nil as CabinetError?, "The error of \(url)")
            }
            try expect("The code", answers[0].code, equals: .permissionFailure)
            try expect("The answer", answers[0].message, equals: answers[1].message)
            try await scene.change { $0.allowsAccessRequests = true }
            try await scene.dora.ask(url)
            try await scene.change { $0.blockRequesters($0.requesters) }
            let blocked = try await expectError(.permissionFailure) { try await scene.dora.ask(url) }
            try expect("The answer to a blocked user", blocked.message, equals: answers[1].message)
            try await scene.change { $0.allowsAccessRequests = false }
            try await scene.change { $0.unblockIdentities($0.blockedIdentities) }
            try await expectError(.permissionFailure) { try await scene.dora.ask(url) }
        },
        ConformanceRule(
            .sharing, "a refused user may ask again, and a blocked one not before it is unblocked",
            law: "A denial forgets the request. A block removes a participant, and holds until it ends.",
            source: .cloudKit("CKShare.h, denyRequesters:, blockRequesters:, unblockIdentities:")
        ) { world in
            let scene = try await world.sharedScene()
            var share = try await scene.change { $0.allowsAccessRequests = true }
            let url = try require(share.url, "The URL")
            for _ in 0..<2 {
                try await scene.dora.ask(url)
                share = try await scene.change { share in
                    try expect("The requesters", share.requesters.map(\.userRecordName), equals: ["_dora"])
                    share.denyRequesters(share.requesters)
                }
                try expect("The requesters after a denial", share.requesters, equals: [])
            }
            try await scene.dora.ask(url)
            share = try await scene.change { $0.blockRequesters($0.requesters) }
            try expect("The blocked users", share.blockedIdentities.map(\.userRecordName), equals: ["_dora"])
            try expect("The requesters after a block", share.requesters, equals: [])
            try await expectError(.permissionFailure) { try await scene.dora.ask(url) }
            share = try await scene.change { $0.unblockIdentities($0.blockedIdentities) }
            try await scene.dora.ask(url)
            // A user that was approved and is blocked later loses the records.
            let requesters = try await scene.own.share(forZoneWith: SharingScene.zoneID).requesters
            share = try await scene.change { $0.addParticipant(Share.Participant(userRecordName: "_dora")) }
            try await scene.dora.accept(share)
            share = try await scene.change { $0.blockRequesters(requesters) }
            try expect("The participant", share.participant(for: RecordID(recordName: "_dora")), equals: nil)
            try await scene.expectNothing(scene.dora)
        },
    ]
}

extension Container {
    /// Asks for access to a share.
    fileprivate func ask(_ url: URL) async throws {
        try require(try await requestShareAccess(for: [url])[url], "The result").get()
    }
}
