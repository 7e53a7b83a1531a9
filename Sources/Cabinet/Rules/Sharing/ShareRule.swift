import Foundation

/// The rules of saving a share: which record is one, who changes it, and what a change means for its participants.
package enum ShareRule {
    /// Whether a record is a share.
    static func isShare(_ recordType: Record.RecordType) -> Bool { recordType.hasSameScalars(as: Share.recordType) }

    /// The ID of the share of a whole zone.
    static func shareID(of zoneID: RecordZone.ID) -> RecordID {
        RecordID(recordName: Share.zoneWideRecordName, zoneID: zoneID)
    }

    /// Returns the error if a record claims to be a share and cannot be one in any state of the database.
    static func violation(saving record: Record, in scope: DatabaseScope) -> CabinetError? {
        let hasName = isZoneWide(record.recordID)
        guard isShare(record.recordType) || hasName else { return nil }
        func error(_ code: CabinetError.Code, _ message: String) -> CabinetError {
            CabinetError(code, message, recordID: record.recordID)
        }
        if !isShare(record.recordType) {
            return error(
                .invalidArguments,
                "The name '\(Share.zoneWideRecordName)' is that of the zone's share; use another name.")
        }
        if scope == .public {
            return error(
                .badDatabase,
                "Everyone may read the public database, so it has no shares. Share a zone of the private one.")
        }
        if record.recordID.zoneID == .default {
            return error(
                .invalidArguments, "The default zone cannot be shared. Save the records in a zone of their own.")
        }
        if let root = ShareContent.root(in: record.fields) {
            if hasName { return error(.invalidArguments, "The share of a whole zone has no root record.") }
            if root.zoneID != record.recordID.zoneID {
                return error(
                    .invalidArguments, "The share must be in the zone of its root record, '\(root.zoneID)'.")
            }
        }
        if record.parent != nil { return error(.invalidArguments, "A share has no parent.") }
        return nil
    }

    /// Whether a share covers a whole zone.
    package static func isZoneWide(_ recordID: RecordID) -> Bool {
        recordID.recordName.hasSameScalars(as: Share.zoneWideRecordName)
    }

    /// Returns the error of a new share whose root record is not saved with it.
    package static func rootIsMissing(_ root: RecordID, of share: RecordID) -> CabinetError {
        CabinetError(
            .invalidArguments,
            "A new share is saved in one batch with its root record, and this batch does not save '\(root.recordName)'.",
            recordID: share)
    }

    static func tooManyParticipants(_ recordID: RecordID) -> CabinetError {
        CabinetError(
            .tooManyParticipants,
            "A share has at most \(Share.maximumParticipants) participants beside the owner. Remove some first.",
            recordID: recordID)
    }

    /// Returns the content of a share after a save.
    ///
    /// - Parameters:
    ///   - sent: The content with the changes of the client.
    ///   - stored: The stored content; `nil` if the share is new.
    ///   - owner: The user whose records are shared.
    ///   - urlText: The URL, or the part of it that identifies the share.
    ///   - oneTimeShortGUIDs: The last parts of the URLs of new participants, by their identifiers.
    ///   - recordID: The share's ID, for errors.
    ///   - now: The time of the save.
    /// - Throws: ``CabinetError/Code/tooManyParticipants``, and ``CabinetError/Code/invalidArguments`` if the participants or the
    ///   permissions do not fit each other.
    static func saved(
        _ sent: ShareContent, replacing stored: ShareContent?, owner: String, urlText: String,
        oneTimeShortGUIDs: [String: String] = [:], _ recordID: RecordID, now: Date
    ) throws(CabinetError) -> ShareContent {
        func error(_ message: String) -> CabinetError {
            CabinetError(
                .invalidArguments, message, recordID: recordID, fieldKey: Share.SystemFieldKey.participants)
        }
        guard sent.publicPermission != .unknown else { throw error("The permission of all users is unknown.") }
        let old = stored ?? ShareContent()
        var content = ShareContent()
        content.publicPermission = sent.publicPermission
        content.urlText = urlText
        content.participants = [
            old.participant(owner)
                ?? Share.Participant(
                    participantID: RecordID.uniqueRecordName(), userRecordName: owner, role: .owner,
                    permission: .readWrite, acceptanceStatus: .accepted, dateAddedToShare: now)
        ]
        var found: Set<ScalarText> = []
        for participant in sent.participants where !participant.userRecordName.hasSameScalars(as: owner) {
            // A save that makes a share private can invite a user that has joined by its URL.
            let isInvited = sent.publicPermission == .none && participant.role != .publicUser
            let known = old.participant(like: participant)
            // One may be from before the user has opened its one-time URL.
            if let known, !found.insert(ScalarText(text: known.identity)).inserted {
                throw error("\(known.userRecordName) takes part twice. Fetch the share again, and change that one.")
            }
            if let known, known.role != .publicUser || !isInvited {
                guard let kept = try changed(known, to: participant, old, sent, error) else { continue }
                content.participants.append(kept)
            } else {
                var added = try added(participant, sent, oneTimeShortGUIDs, error)
                added.dateAddedToShare = now
                added.isApprovedRequester = old.requesters.contains(added.userRecordName)
                content.participants.append(added)
            }
        }
        content.allowsAccessRequests = sent.allowsAccessRequests
        content.blocked = sent.blocked.filter { !$0.hasSameScalars(as: owner) }
        if Set(content.blocked).count < content.blocked.count || content.blocked.count > Share.maximumAccessRequests {
            throw error("At most \(Share.maximumAccessRequests) users are blocked, each once. Unblock some first.")
        }
        content.participants.removeAll { $0.role != .owner && content.blocked.contains($0.userRecordName) }
        // Only a user asks for the own access.
        content.requesters = old.requesters.filter { name in
            sent.requesters.contains(name) && !content.blocked.contains(name) && content.participant(name) == nil
        }
        if content.participants.count > Share.maximumParticipants + 1 { throw tooManyParticipants(recordID) }
        return content
    }

    /// Returns a participant of the stored share after a save; `nil` if the change of the public permission removes it.
    private static func changed(
        _ known: Share.Participant, to sent: Share.Participant, _ old: ShareContent, _ new: ShareContent,
        _ error: (String) -> CabinetError
    ) throws(CabinetError) -> Share.Participant? {
        let wasPublic = old.publicPermission != .none
        let isPublic = new.publicPermission != .none
        if wasPublic, !isPublic { return nil }
        if isPublic, !wasPublic, known.acceptanceStatus != .accepted { return nil }
        var kept = known
        if known.role == .publicUser {
            kept.permission = new.publicPermission
            return kept
        }
        try check(sent, error)
        kept.role = sent.role
        kept.permission = sent.permission
        return kept
    }

    private static func added(
        _ participant: Share.Participant, _ new: ShareContent, _ oneTimeShortGUIDs: [String: String],
        _ error: (String) -> CabinetError
    ) throws(CabinetError) -> Share.Participant {
        try check(participant, error)
        let shortGUID = oneTimeShortGUIDs[participant.participantID]
        if participant.isUnclaimed, shortGUID == nil {
            throw error("The participant with a one-time URL has got none. Save the share again.")
        }
        if new.publicPermission != .none {
            throw error(
                "Participants are added to a private share only; its publicPermission is \(new.publicPermission).")
        }
        return Share.Participant(
            participantID: participant.participantID, userRecordName: participant.userRecordName,
            role: participant.role, permission: participant.permission, acceptanceStatus: .pending,
            oneTimeShortGUID: participant.isUnclaimed ? shortGUID : nil)
    }

    private static func check(
        _ participant: Share.Participant, _ error: (String) -> CabinetError
    ) throws(CabinetError) {
        let name = participant.userRecordName
        guard [.privateUser, .administrator].contains(participant.role) else {
            throw error("\(name) cannot have the role \(participant.role); expected privateUser or administrator.")
        }
        if participant.permission == .unknown { throw error("The permission of \(name) is unknown.") }
    }
}
