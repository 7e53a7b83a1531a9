import Cabinet
import Foundation

/// The members of shares, in the answers and requests of a client.
extension CloudKitShare {
    /// Reads the fields that the members of an answered share are.
    ///
    /// - Parameters:
    ///   - zoneID: The zone of the share.
    ///   - shareURL: Returns the URL of a short GUID.
    static func fields(
        _ node: JSONNode, in zoneID: RecordZone.ID, _ shareURL: (String) -> URL?
    ) throws(CabinetError) -> [Record.FieldKey: FieldValue] {
        let participants = try (node["participants"]).map { node throws(CabinetError) in
            try node.array { item throws(CabinetError) in try participant(item.object()) }
        }
        var fields = Share.memberFields(
            participants ?? [],
            publicPermission: try answered(node["publicPermission"], in: permissions) ?? .none,
            url: try (node["shortGUID"]?.string()).flatMap(shareURL))
        if let deny = try node["denyAccessRequests"]?.bool(), !deny {
            fields[Share.SystemFieldKey.allowsAccessRequests] = .int64(1)
        }
        for (key, node) in [
            (Share.SystemFieldKey.requesters, node["requesters"]), (Share.SystemFieldKey.blocked, node["blocked"]),
        ] {
            guard let node, node.count > 0 else { continue }
            fields[key] = .list(.string(try names(node)))
        }
        if let name = try node["cabinetRootRecordName"]?.string() {
            let root = RecordID(recordName: name, zoneID: zoneID)
            fields[Share.SystemFieldKey.rootRecord] = .reference(Reference(recordID: root, action: .deleteSelf))
        }
        return fields
    }

    /// Reads a participant of an answer.
    static func participant(_ node: JSONNode) throws(CabinetError) -> Share.Participant {
        let id = try node.required("participantId").string()
        let identity = node["userIdentity"]
        let name = try (identity?["userRecordName"] ?? identity?["lookupInfo"]?["userRecordName"])?.string()
        let shortGUID = try node["cabinetShortGUID"]?.string()
        return Share.Participant(
            // The service has not found the user of an address yet.
            participantID: id, userRecordName: name ?? (shortGUID == nil ? "_\(id)" : ""),
            role: try answered(node["type"], in: roles) ?? .unknown,
            permission: try answered(node["permission"], in: permissions) ?? .unknown,
            acceptanceStatus: try answered(node["acceptanceStatus"], in: states) ?? .unknown,
            oneTimeShortGUID: shortGUID)
    }

    /// Reads a member of an answer, which may have a value of a later version of the service: that of the name `UNKNOWN`.
    ///
    /// - Returns: `nil` if the answer lacks the member.
    private static func answered<Value>(
        _ node: JSONNode?, in names: [(String, Value)]
    ) throws(CabinetError) -> Value? {
        guard let text = try node?.string() else { return nil }
        return (names.first { $0.0 == text } ?? names.first { $0.0 == "UNKNOWN" })?.1
    }

    /// Reads the part of the user in a share that `records/resolve` describes.
    ///
    /// - Parameters:
    ///   - node: The result of a short GUID.
    ///   - userRecordName: The record name of the user, or `nil` if it is unknown.
    static func participant(
        resolved node: JSONNode, _ userRecordName: String?
    ) throws(CabinetError) -> Share.Participant {
        let current = try (node["share"]?["currentUserParticipant"]).map { node throws(CabinetError) in
            try participant(node)
        }
        return Share.Participant(
            participantID: current?.participantID ?? RecordID.uniqueRecordName(),
            userRecordName: userRecordName ?? current?.userRecordName ?? RecordZone.ID.defaultOwnerName,
            role: try answered(try node.required("participantType"), in: roles) ?? .unknown,
            permission: try answered(try node.required("participantPermission"), in: permissions) ?? .unknown,
            acceptanceStatus: try answered(try node.required("participantStatus"), in: states) ?? .unknown)
    }

    /// Writes the members of a share that a save sends.
    ///
    /// - Parameters:
    ///   - keys: The fields of the record that the save sends.
    ///   - rootTag: The change tag of the root of a new share.
    static func writeMembers(
        of record: Record, _ keys: Set<Record.FieldKey>, rootTag: String?, to writer: inout JSONWriter
    ) throws(CabinetError) {
        let share = try Share(record)
        if keys.contains(Share.SystemFieldKey.publicPermission) {
            writer.member("publicPermission", name(of: share.publicPermission, in: permissions))
        }
        if keys.contains(Share.SystemFieldKey.participants) {
            try writer.member("participants", share.participants) { writer, participant throws(CabinetError) in
                try write(participant, to: &writer)
            }
        }
        if keys.contains(Share.SystemFieldKey.allowsAccessRequests) {
            writer.member("denyAccessRequests", !share.allowsAccessRequests)
        }
        for (key, names) in [
            (Share.SystemFieldKey.requesters, share.requesters.map(\.userRecordName)),
            (Share.SystemFieldKey.blocked, share.blockedIdentities.map(\.userRecordName)),
        ] where keys.contains(key) {
            writer.key(key == Share.SystemFieldKey.blocked ? "blocked" : "requesters")
            try writer.array { writer throws(CabinetError) in
                for name in names { try write(name, to: &writer) }
            }
        }
        if let root = share.rootRecordID, let rootTag {
            try writer.member("forRecord") { writer in
                writer.member("recordName", root.recordName)
                writer.member("recordChangeTag", rootTag)
            }
        }
    }
}
