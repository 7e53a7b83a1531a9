import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let listShares = Command(
        words: ["shares", "list"],
        summary: "List the zones that the user shares, and those of other users that are shared with it",
        details: "Zones of other users are in the list once the user has accepted them. The URL is for users to open.",
        examples: ["cabinet shares list --account _anna", "cabinet shares list --format json"]
    ) { invocation in
        try await invocation.withContainer { container in
            var shares: [Share] = []
            for scope in [DatabaseScope.private, .shared] {
                shares += try await container.database(with: scope).shares()
            }
            let user = try await container.userRecordID()
            try invocation.write(
                Share.titles, shares.map { $0.row(participant: $0.participant(for: user)) })
        }
    }

    static let showShare = Command(
        words: ["shares", "show"], parameters: ["ZONE|URL", "[OWNER]"],
        summary: "Print the participants of a zone's share, or what a URL leads to",
        details: """
            OWNER is the record name of the user that shares the zone; without it, the zone is the user's own. A URL shows the share that
            the user may accept. An unknown URL and one that is meant for another user have the same error.
            """,
        examples: [
            "cabinet shares show Groceries", "cabinet shares show Groceries _anna",
            "cabinet shares show cabinet://share/2vPmXDk0TqyPqfXb8Ns0xA",
        ]
    ) { invocation in
        let text = try invocation.parameter(0)
        let url = text.contains("://") ? try invocation.shareURL(text) : nil
        try await invocation.withContainer { container in
            if let url {
                let metadata = try await invocation.metadata(for: url, in: container)
                return try invocation.write(Share.titles, [metadata.share.row(metadata)])
            }
            let share = try await invocation.share(in: container)
            let titles = ["user", "role", "permission", "state"]
            try invocation.write(
                titles,
                share.participants.map { participant in
                    [.string(participant.userRecordName.isEmpty ? "-" : participant.userRecordName)]
                        + [
                            "\(participant.role)", "\(participant.permission)", "\(participant.acceptanceStatus)",
                        ].map(JSONValue.string)
                })
        }
    }

    static let acceptShare = Command(
        words: ["shares", "accept"], parameters: ["URL"], summary: "Accept a share, and print its zone",
        details: "The zone is in the user's shared database from then on. To accept twice changes nothing.",
        examples: ["cabinet shares accept cabinet://share/2vPmXDk0TqyPqfXb8Ns0xA --account _ben"]
    ) { invocation in
        let url = try invocation.shareURL(try invocation.parameter(0))
        try await invocation.withContainer { container in
            try await container.accept(try await invocation.metadata(for: url, in: container))
            // The metadata after accepting have the user's new state.
            let metadata = try await container.shareMetadata(for: url)
            try invocation.write(Share.titles, [metadata.share.row(metadata)])
        }
    }

    static let leaveShare = Command(
        words: ["shares", "leave"], parameters: ["ZONE", "OWNER"],
        summary: "Leave a zone that another user shares; the records stay with the owner",
        examples: ["cabinet shares leave Groceries _anna --account _ben"]
    ) { invocation in
        try await invocation.withContainer { container in
            let share = try await invocation.share(in: container)
            guard share.recordID.zoneID.ownerName != RecordZone.ID.defaultOwnerName else {
                throw CommandError.usage(
                    "The zone is the user's own. Its owner ends the sharing by deleting the record "
                        + "'\(Share.zoneWideRecordName)' of the zone.")
            }
            try await container.sharedDatabase.deleteRecord(withID: share.recordID)
            let zoneID = share.recordID.zoneID
            invocation.console.write("Left \(zoneID.zoneName.printable) of \(zoneID.ownerName.printable).")
        }
    }
}

extension Invocation {
    /// Returns what a share's URL leads to.
    ///
    /// A share that the user may not open has the same error as one that does not exist.
    fileprivate func metadata(for url: URL, in container: Container) async throws -> Share.Metadata {
        do {
            return try await container.shareMetadata(for: url)
        } catch let error as CabinetError where error.code == .permissionFailure {
            throw CommandError(.notFound, error.message)
        }
    }

    fileprivate func shareURL(_ text: String) throws(CommandError) -> URL {
        guard let url = URL(string: text), !url.lastPathComponent.isEmpty else {
            throw .usage("'\(text.printable)' is not the URL of a share, such as 'cabinet shares list' prints.")
        }
        return url
    }

    /// Fetches the share of the zone that the parameters name.
    fileprivate func share(in container: Container) async throws -> Share {
        let zoneName = try parameter(0)
        let user = try await container.userRecordID().recordName
        let owner = arguments.parameters.count > 1 ? try parameter(1) : user
        let isOwn = owner == user || owner == RecordZone.ID.defaultOwnerName
        let zoneID = isOwn ? RecordZone.ID(zoneName: zoneName) : RecordZone.ID(zoneName: zoneName, ownerName: owner)
        do {
            return try await container.database(with: isOwn ? .private : .shared).share(forZoneWith: zoneID)
        } catch CabinetError.Code.unknownItem {
            throw CommandError(.notFound, "The zone \(zoneName.printable) is not shared.")
        } catch CabinetError.Code.zoneNotFound where !isOwn {
            throw CommandError(
                .notFound, "\(owner.printable) does not share the zone \(zoneName.printable) with the user.")
        }
    }
}

extension Database {
    /// Fetches the shares of all zones.
    fileprivate func shares() async throws -> [Share] {
        let ids = try await allRecordZones().map(\.zoneID).filter { $0 != .default }.sorted {
            ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName)
        }.map { RecordID(recordName: Share.zoneWideRecordName, zoneID: $0) }
        var shares: [Share] = []
        for part in ids.parts(of: 400) {
            let results = try await records(for: Array(part))
            for case .success(let record)? in part.map({ results[$0] }) { shares.append(try Share(record)) }
        }
        return shares
    }
}

extension Share {
    fileprivate static let titles = ["zone", "owner", "title", "role", "permission", "state", "URL"]

    /// The share, and the part of the user in it.
    fileprivate func row(participant: Participant?) -> [JSONValue] {
        row(
            participant.map { "\($0.role)" }, participant.map { "\($0.permission)" },
            participant.map { "\($0.acceptanceStatus)" })
    }

    /// The share, and the part that the user has in it or would have.
    fileprivate func row(_ metadata: Metadata) -> [JSONValue] {
        row(
            "\(metadata.participantRole)", "\(metadata.participantPermission)", "\(metadata.participantStatus)")
    }

    private func row(_ role: String?, _ permission: String?, _ state: String?) -> [JSONValue] {
        let title: String? = self[SystemFieldKey.title]
        let zoneID = recordID.zoneID
        return [.string(zoneID.zoneName), .string(zoneID.ownerName)]
            + [title, role, permission, state, url?.absoluteString].map { $0.map(JSONValue.string) ?? .null }
    }
}
