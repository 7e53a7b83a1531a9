package import Foundation

/// The parts of a share that the rules of sharing read and change, as its fields store them.
struct ShareContent: Sendable, Hashable {
    /// The participants; the owner comes first in a share that was saved.
    var participants: [Share.Participant] = []

    /// The permission of every user that knows the URL.
    var publicPermission = Share.ParticipantPermission.none

    /// Whether users that know the URL may ask to take part.
    var allowsAccessRequests = false

    /// The record names of the users that have asked to take part.
    var requesters: [String] = []

    /// The record names of the users that may not ask.
    var blocked: [String] = []

    /// The URL, or the part of it that identifies the share; `nil` in a share that was not saved.
    var urlText: String?

    /// The part of the URL that identifies the share.
    var shortGUID: String? { urlText.map(ShareURL.shortGUID) }

    private typealias Key = Share.SystemFieldKey

    init() {}

    /// Reads the fields of a share.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a part is not what a share can have.
    init(_ fields: FieldValues, of recordID: RecordID) throws(CabinetError) {
        func error(_ message: String, _ key: Record.FieldKey) -> CabinetError {
            CabinetError(
                .invalidArguments, "The share is damaged: \(message). Fetch the share again, and change that one.",
                recordID: recordID, fieldKey: key)
        }
        guard let permission = Self.publicPermission(in: fields) else {
            throw error("the permission of all users is unknown", Key.publicPermission)
        }
        publicPermission = permission
        urlText = Self.urlText(in: fields)
        allowsAccessRequests = fields[Key.allowsAccessRequests] == .int64(1)
        guard let requesters = Self.names(Key.requesters, in: fields), let blocked = Self.names(Key.blocked, in: fields)
        else { throw error("its lists of users are not lists of names", Key.requesters) }
        (self.requesters, self.blocked) = (requesters, blocked)
        let texts: [String]
        switch fields[Key.participants] {
        case nil: texts = []
        case .list(.string(let list)): texts = list
        default: throw error("its participants are not a list of texts", Key.participants)
        }
        // One more than a share can have, for the error that says so.
        if texts.count > Share.maximumParticipants + 2 { throw ShareRule.tooManyParticipants(recordID) }
        var names: Set<String> = []
        for text in texts {
            guard let participant = Share.Participant(text: text) else {
                throw error("a participant is not readable", Key.participants)
            }
            guard names.insert(participant.identity).inserted else {
                throw error("\(participant.identity) takes part twice", Key.participants)
            }
            participants.append(participant)
        }
    }

    /// Reads a stored share; `nil` if the record is not a share.
    init?(_ stored: StoredRecord?) throws(CabinetError) {
        guard let stored, stored.recordType.hasSameScalars(as: Share.recordType) else { return nil }
        do {
            try self.init(stored.fields, of: stored.recordID)
        } catch {
            throw CabinetError(.internalError, error.message, recordID: stored.recordID, fieldKey: error.fieldKey)
        }
    }

    /// Returns the permission of all users; `nil` if the field has another value.
    static func publicPermission(in fields: FieldValues) -> Share.ParticipantPermission? {
        switch fields[Key.publicPermission] {
        case nil: Share.ParticipantPermission.none
        case .int64(let number): Share.ParticipantPermission(rawValue: Int(clamping: number))
        default: nil
        }
    }

    /// Returns the record whose hierarchy is shared; `nil` for a whole zone.
    static func root(in fields: FieldValues) -> RecordID? {
        if case .reference(let reference) = fields[Key.rootRecord] { reference.recordID } else { nil }
    }

    /// Returns the names of users in a field; `nil` if it has another value.
    static func names(_ key: Record.FieldKey, in fields: FieldValues) -> [String]? {
        switch fields[key] {
        case nil: []
        case .list(.string(let names)) where names.allSatisfy(NameGrammar.userRecordName.allows): names
        default: nil
        }
    }

    static func urlText(in fields: FieldValues) -> String? {
        if case .string(let text) = fields[Key.shortGUID] { text } else { nil }
    }

    /// Returns the field's value for a list of participants.
    static func fieldValue(of participants: [Share.Participant]) -> FieldValue? {
        participants.isEmpty ? nil : .list(.string(participants.map(\.text)))
    }

    /// The fields of a share with the parts.
    fileprivate var fields: [Record.FieldKey: FieldValue?] {
        [
            Key.participants: Self.fieldValue(of: participants),
            Key.publicPermission: .int64(Int64(publicPermission.rawValue)),
            Key.shortGUID: urlText.map { .string($0) },
            Key.allowsAccessRequests: allowsAccessRequests ? .int64(1) : nil,
            Key.requesters: requesters.isEmpty ? nil : .list(.string(requesters)),
            Key.blocked: blocked.isEmpty ? nil : .list(.string(blocked)),
        ]
    }

    /// Stores the parts in the fields of a share.
    func store(in fields: inout FieldValues) {
        for (key, value) in self.fields { fields[key] = value }
    }

    /// Returns the participant that a user is.
    func participant(_ user: String) -> Share.Participant? {
        participants.first { $0.userRecordName.hasSameScalars(as: user) }
    }

    /// Returns the participant that another one is, who may have opened its one-time URL since.
    func participant(like other: Share.Participant) -> Share.Participant? {
        participants.first { $0.isCurrent(other) }
    }

    /// Returns the same content as a user may see it.
    ///
    /// The users of a public share do not see each other: they see the owner and themselves. Only the owner and administrators see
    /// one-time URLs, and the users that have asked for access.
    func visible(to user: String) -> ShareContent {
        let role = participant(user)?.role
        if role == .owner || role == .administrator { return self }
        var content = self
        (content.requesters, content.blocked) = ([], [])
        for position in participants.indices where participants[position].oneTimeShortGUID != nil {
            content.participants[position].oneTimeShortGUID = ""
        }
        if role == .privateUser { return content }
        content.participants.removeAll { $0.role != .owner && !$0.userRecordName.hasSameScalars(as: user) }
        return content
    }
}

extension Share {
    /// Returns the share as one of a root, of another service whose shares do not say what they cover.
    package func covering(_ rootRecordID: RecordID) -> Share {
        var share = self
        share.record.setFieldValue(
            .reference(Reference(recordID: rootRecordID, action: .deleteSelf)), forKey: SystemFieldKey.rootRecord)
        return share
    }

    /// Returns the fields that the members of a share read and write, for a share that another service has.
    package static func memberFields(
        _ participants: [Participant], publicPermission: ParticipantPermission, url: URL?
    ) -> [Record.FieldKey: FieldValue] {
        var content = ShareContent()
        content.participants = participants
        content.publicPermission = publicPermission
        content.urlText = url?.absoluteString
        return content.fields.compactMapValues(\.self)
    }
}
