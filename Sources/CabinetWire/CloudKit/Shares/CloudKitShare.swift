import Cabinet
import Foundation

/// The members of shares, in requests and answers.
enum CloudKitShare {
    /// The types of the fields that every share may have.
    static let fields: [Record.FieldKey: FieldType] = [
        Share.SystemFieldKey.title: .string, Share.SystemFieldKey.thumbnailImageData: .bytes,
        Share.SystemFieldKey.shareType: .string,
    ]

    /// Whether a record of a request is a share.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the name of the type has another case, as the service does.
    static func isShare(_ record: JSONNode) throws(CabinetError) -> Bool {
        let recordType = try record["recordType"]?.string() ?? ""
        if recordType == Share.recordType { return true }
        if recordType.lowercased() == Share.recordType { throw CabinetError(.invalidArguments, nothingToShare) }
        return false
    }

    /// The service's answer to a share of what cannot be shared.
    static let nothingToShare = "Cannot share - no such record exists to share"

    /// The root of a hierarchy to share, as the share's operation names it.
    struct Root {
        let id: RecordID
        /// The change tag that the root must have.
        let tag: String

        /// Reads the member `forRecord`.
        ///
        /// - Returns: `nil` if the object has none, so that it shares a zone.
        init?(_ record: JSONNode, in zoneID: RecordZone.ID) throws(CabinetError) {
            guard let node = record["forRecord"] else { return nil }
            id = RecordID(recordName: try node.required("recordName").string(), zoneID: zoneID)
            tag = try node.required("recordChangeTag").string()
        }
    }

    /// Reads the fields of a share that its members are; a member that the request lacks is left out.
    static func members(
        _ record: JSONNode, users: [UserLookup: String]
    ) throws(CabinetError) -> [(key: Record.FieldKey, value: FieldValue?)] {
        var values: [(key: Record.FieldKey, value: FieldValue?)] = []
        if let node = record["publicPermission"] {
            let permission = try permission(node)
            values.append((Share.SystemFieldKey.publicPermission, .int64(Int64(permission.rawValue))))
        }
        if let node = record["participants"] {
            let texts = try node.array { item throws(CabinetError) in try participant(item.object(), users).text }
            values.append((Share.SystemFieldKey.participants, texts.isEmpty ? nil : .list(.string(texts))))
        }
        if let node = record["denyAccessRequests"] {
            values.append((Share.SystemFieldKey.allowsAccessRequests, try node.bool() ? nil : .int64(1)))
        }
        for (key, node) in [
            (Share.SystemFieldKey.requesters, record["requesters"]), (Share.SystemFieldKey.blocked, record["blocked"]),
        ] {
            guard let node else { continue }
            let names = try names(node)
            values.append((key, names.isEmpty ? nil : .list(.string(names))))
        }
        return values
    }

    /// Reads the users that have asked for access, or that may not ask.
    static func names(_ node: JSONNode) throws(CabinetError) -> [String] {
        try node.array { item throws(CabinetError) in
            try item.required("userIdentity").required("userRecordName").string()
        }
    }

    /// Reads the lookups by which the participants of a request's record name users.
    static func lookups(_ record: JSONNode) throws(CabinetError) -> [UserLookup] {
        guard let node = record["participants"] else { return [] }
        return try node.array { item throws(CabinetError) in try lookup(item.object()) }.compactMap(\.self)
    }

    private static func lookup(_ participant: JSONNode) throws(CabinetError) -> UserLookup? {
        guard let identity = participant["userIdentity"], identity["userRecordName"] == nil,
            let info = identity["lookupInfo"]
        else { return nil }
        if let name = info["userRecordName"] { return .userRecordName(try name.string()) }
        if let address = info["emailAddress"] { return .emailAddress(try address.string()) }
        return .phoneNumber(try info.required("phoneNumber").string())
    }

    private static func participant(
        _ node: JSONNode, _ users: [UserLookup: String]
    ) throws(CabinetError) -> Share.Participant {
        let name: String
        let id = try node["participantId"]?.string()
        let isUnnamed = node["userIdentity"]?["userRecordName"] == nil && node["userIdentity"]?["lookupInfo"] == nil
        if id != nil, isUnnamed {
            name = ""
        } else if let lookup = try lookup(node) {
            guard let found = users[lookup] else { throw node.error(expected: "a participant whom the server knows") }
            name = found
        } else {
            name = try node.required("userIdentity").required("userRecordName").string()
        }
        return Share.Participant(
            participantID: id ?? RecordID.uniqueRecordName(), userRecordName: name,
            role: try node["type"].map { node throws(CabinetError) in try value(node, in: roles) } ?? .privateUser,
            permission: try node["permission"].map { node throws(CabinetError) in try permission(node) } ?? .readOnly,
            acceptanceStatus: .pending, oneTimeShortGUID: name.isEmpty ? "" : nil)
    }

    static func permission(_ node: JSONNode) throws(CabinetError) -> Share.ParticipantPermission {
        try value(node, in: permissions)
    }

    static func value<Value>(_ node: JSONNode, in names: [(String, Value)]) throws(CabinetError) -> Value {
        let text = try node.string()
        guard let value = names.first(where: { $0.0 == text })?.1 else {
            throw node.error(expected: "one of \(names.map(\.0).joined(separator: ", "))")
        }
        return value
    }

    /// The names of roles; those of CloudKit JS stand behind those of the service, and are only read.
    static let roles: [(String, Share.ParticipantRole)] = [
        ("OWNER", .owner), ("ADMINISTRATOR", .administrator), ("USER", .privateUser), ("PUBLIC_USER", .publicUser),
        ("UNKNOWN", .unknown), ("PRIVATE_USER", .privateUser),
    ]
    static let permissions: [(String, Share.ParticipantPermission)] = [
        ("NONE", .none), ("READ_ONLY", .readOnly), ("READ_WRITE", .readWrite), ("UNKNOWN", .unknown),
    ]
    static let states: [(String, Share.ParticipantAcceptanceStatus)] = [
        ("INVITED", .pending), ("ACCEPTED", .accepted), ("REMOVED", .removed), ("UNKNOWN", .unknown),
        ("PENDING", .pending),
    ]

    /// Returns the name that the service writes for a value.
    static func name<Value: Equatable>(of value: Value, in names: [(String, Value)]) -> String {
        names.first { $0.1 == value }?.0 ?? "UNKNOWN"
    }
}

extension CloudKitShare {
    /// Writes the members that a share has beside those of a record.
    static func writeMembers(
        of share: Share, _ userRecordName: String?, to writer: inout JSONWriter
    ) throws(CabinetError) {
        writer.member("publicPermission", name(of: share.publicPermission, in: permissions))
        try writer.member("participants", share.participants) { writer, participant throws(CabinetError) in
            try write(participant, to: &writer)
        }
        if let owner = share.owner {
            writer.key("owner")
            try write(owner, to: &writer)
        }
        if !share.requesters.isEmpty {
            try writer.member("requesters", share.requesters) { writer, requester throws(CabinetError) in
                try write(requester.userRecordName, to: &writer)
            }
        }
        if !share.blockedIdentities.isEmpty {
            try writer.member("blocked", share.blockedIdentities) { writer, identity throws(CabinetError) in
                try write(identity.userRecordName, to: &writer)
            }
        }
        writer.member("denyAccessRequests", !share.allowsAccessRequests)
        if let name = userRecordName, let current = share.participant(for: RecordID(recordName: name)) {
            writer.key("currentUserParticipant")
            try write(current, to: &writer)
        }
        if let url = share.url { writer.member("shortGUID", url.lastPathComponent) }
        // Clients of Cabinet learn what the share covers; others pass over keys that they do not know.
        if let root = share.rootRecordID { writer.member("cabinetRootRecordName", root.recordName) }
    }

    /// Writes a user that has asked for access, or that may not ask.
    static func write(_ userRecordName: String, to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            try writer.member("userIdentity") { writer in writer.member("userRecordName", userRecordName) }
        }
    }

    /// Writes a participant.
    static func write(_ participant: Share.Participant, to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            writer.member("participantId", participant.participantID)
            try writer.member("userIdentity") { writer throws(CabinetError) in
                // No user has opened the one-time URL yet.
                if participant.userRecordName.isEmpty { return }
                writer.member("userRecordName", participant.userRecordName)
                try writer.member("lookupInfo") { writer in
                    writer.member("userRecordName", participant.userRecordName)
                }
            }
            writer.member("type", name(of: participant.role, in: roles))
            writer.member("acceptanceStatus", name(of: participant.acceptanceStatus, in: states))
            writer.member("permission", name(of: participant.permission, in: permissions))
            if let shortGUID = participant.oneTimeShortGUID { writer.member("cabinetShortGUID", shortGUID) }
        }
    }

    /// Writes the part of the user in a share.
    static func writeMembers(of metadata: Share.Metadata, to writer: inout JSONWriter) {
        writer.member("participantType", name(of: metadata.participantRole, in: roles))
        writer.member("participantStatus", name(of: metadata.participantStatus, in: states))
        writer.member("participantPermission", name(of: metadata.participantPermission, in: permissions))
    }
}
