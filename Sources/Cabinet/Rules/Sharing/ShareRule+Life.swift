import Foundation

extension ShareRule {
    /// The answer to a user that may not open a share, which does not say whether the share exists.
    static let unknown = CabinetError(
        .permissionFailure,
        "No share that this user may open has this URL. It may have been deleted, or be meant for another user.")

    /// Returns the participant that a user is, or would be after accepting the share.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - content: The stored content.
    ///   - participantID: The participant whose one-time URL the user opens.
    /// - Returns: The participant; `nil` if the user may not open the share.
    static func participant(
        _ user: String, opening content: ShareContent, as participantID: String? = nil
    ) -> Share.Participant? {
        if let known = content.participant(user) {
            return known.acceptanceStatus == .removed || known.permission == .none ? nil : known
        }
        if content.blocked.contains(user) { return nil }
        if let participantID,
            let invited = content.participants.first(where: { $0.participantID == participantID && $0.isUnclaimed })
        {
            return invited.permission == .none ? nil : invited.claimed(by: user)
        }
        guard [.readOnly, .readWrite].contains(content.publicPermission) else { return nil }
        return Share.Participant(
            participantID: RecordID.uniqueRecordName(), userRecordName: user, role: .publicUser,
            permission: content.publicPermission, acceptanceStatus: .pending)
    }

    /// Returns the content after a user has accepted the share; the same content if the user had accepted it before.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - content: The stored content.
    ///   - acceptanceID: The identifier of the acceptance.
    ///   - participantID: The participant whose one-time URL the user has opened.
    ///   - recordID: The share's ID, for errors.
    ///   - now: The time of the save.
    /// - Throws: ``CabinetError/Code/permissionFailure`` if the user may not open the share, and
    ///   ``CabinetError/Code/tooManyParticipants`` if a public share is full.
    static func accepted(
        by user: String, _ content: ShareContent, acceptanceID: String, as participantID: String? = nil,
        _ recordID: RecordID, now: Date
    ) throws(CabinetError) -> ShareContent {
        guard var participant = participant(user, opening: content, as: participantID) else { throw unknown }
        if participant.acceptanceStatus == .accepted { return content }
        participant.acceptanceStatus = .accepted
        participant.acceptanceID = acceptanceID
        participant.dateAddedToShare = participant.dateAddedToShare ?? now
        var content = content
        let position = content.participants.firstIndex { known in
            known.userRecordName.hasSameScalars(as: user)
                || known.isUnclaimed && known.participantID == participant.participantID
        }
        if let position {
            content.participants[position] = participant
        } else {
            content.participants.append(participant)
        }
        if content.participants.count > Share.maximumParticipants + 1 { throw tooManyParticipants(recordID) }
        return content
    }

    /// Returns the content after a user has asked to take part; the same content if the user has asked before, or may accept.
    ///
    /// - Throws: ``CabinetError/Code/permissionFailure`` if the user may not ask, as for a share that does not exist, and
    ///   ``CabinetError/Code/tooManyParticipants`` if too many users wait for an answer.
    static func asked(
        by user: String, _ content: ShareContent, _ recordID: RecordID
    ) throws(CabinetError) -> ShareContent {
        if participant(user, opening: content) != nil || content.requesters.contains(user) { return content }
        guard content.allowsAccessRequests, !content.blocked.contains(user) else { throw unknown }
        if content.requesters.count >= Share.maximumAccessRequests {
            throw CabinetError(
                .tooManyParticipants,
                "\(Share.maximumAccessRequests) users wait for an answer of the owner. Ask again later.",
                recordID: recordID)
        }
        var content = content
        content.requesters.append(user)
        return content
    }

    /// Returns the content after a user has left the share; the same content if the user does not take part.
    static func left(by user: String, _ content: ShareContent) -> ShareContent {
        var content = content
        content.participants.removeAll { $0.role != .owner && $0.userRecordName.hasSameScalars(as: user) }
        return content
    }
}
