import Foundation
import Testing

@testable import Cabinet

@Suite("The URLs of shares on a server")
struct ServerURLTests {
    private let backend = MemoryBackend()
    private static let zoneID = RecordZone.ID(zoneName: "Lists")

    private func container(_ user: String, on address: String?) throws -> Container {
        let service = try LocalDatabaseService(backend: backend, shareURL: { address.flatMap { URL(string: $0) } })
        return try Container(
            identifier: "com.example.shopping", service: service, account: Account(userRecordName: user))
    }

    @Test("A share has the address of the service that saves it, and every form of its URL opens it")
    func forms() async throws {
        let served = try container("_anna", on: "https://records.example.com/share/")
        try await served.privateDatabase.save(RecordZone(zoneID: Self.zoneID))
        var share = Share(recordZoneID: Self.zoneID)
        let guest = Share.Participant.oneTimeURLParticipant()
        share.addParticipant(guest)
        share.addParticipant(Share.Participant(userRecordName: "_ben"))
        share = try await served.privateDatabase.save(share)
        let url = try #require(share.url)
        #expect(url.absoluteString.hasPrefix("https://records.example.com/share/") && url.lastPathComponent.count == 22)
        let once = try #require(share.oneTimeURL(for: guest.participantID))
        #expect(once.deletingLastPathComponent() == url.deletingLastPathComponent() && once != url)
        let ben = try container("_ben", on: nil)
        let local = try #require(URL(string: "cabinet://share/\(url.lastPathComponent)"))
        let fragment = try #require(URL(string: url.absoluteString + "#Groceries"))
        for form in [url, local, fragment] {
            #expect(try await ben.shareMetadata(for: form).share.url == url, "\(form)")
        }
        try await ben.accept(try await ben.shareMetadata(for: local))
        // An acceptance keeps the URL, and a save of a container without a server has the other form.
        share = try await served.privateDatabase.share(forZoneWith: Self.zoneID)
        #expect(share.url == url)
        let owner = try container("_anna", on: nil)
        share = try await owner.privateDatabase.save(try await owner.privateDatabase.share(forZoneWith: Self.zoneID))
        #expect(share.url == local)
        #expect(share.oneTimeURL(for: guest.participantID)?.scheme == "cabinet")
    }

    @Test("A participant with a one-time URL is stored as one text, before and after it has a user")
    func text() throws {
        let guid = ShareURL.random().shortGUID
        for (name, shortGUID) in [("", ""), ("", guid), ("_ben at home", guid), ("_ben", "")] {
            for date in [nil, Date.now] {
                let participant = Share.Participant(
                    participantID: "p1", userRecordName: name, role: .privateUser, permission: .readOnly,
                    acceptanceStatus: .pending, oneTimeShortGUID: shortGUID, dateAddedToShare: date)
                #expect(Share.Participant(text: participant.text) == participant, "\(participant.text)")
            }
        }
        for text in [
            "2 3 2 1 - p1 x _ben", "2 3 2 1 - p1 _ben", "1 3 2 1 - p1 ", "2 3 2 1 - p1 - ben", "3 3 2 1 - p1 - ",
        ] {
            #expect(Share.Participant(text: text) == nil, "\(text)")
        }
    }

    @Test("A blocked user does not join, and only users that ask are requesters")
    func blocking() throws {
        let id = ShareRule.shareID(of: Self.zoneID)
        var content = ShareContent()
        content.publicPermission = .readOnly
        content.blocked = ["_dora"]
        content.requesters = ["_eve"]
        let saved = try ShareRule.saved(content, replacing: nil, owner: "_anna", urlText: "guid", id, now: .now)
        #expect(saved.requesters == [] && saved.blocked == ["_dora"])
        #expect(ShareRule.participant("_dora", opening: saved) == nil)
        #expect(ShareRule.participant("_ben", opening: saved)?.role == .publicUser)
        #expect(throws: CabinetError.self) { try ShareRule.asked(by: "_dora", saved, id) }
    }
}
