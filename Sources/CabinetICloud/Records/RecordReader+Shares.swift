import Cabinet
import CloudKit
import Foundation

/// The members of shares: their participants, the permission of all users, and the URL.
extension RecordReader {
    /// Returns the fields in which Cabinet's share has its members.
    func members(of share: CKShare) -> [String: FieldValue] {
        Share.memberFields(
            share.participants.map(participant),
            publicPermission: Share.ParticipantPermission(rawValue: share.publicPermission.rawValue) ?? .unknown,
            url: share.url)
    }

    private func participant(_ object: CKShare.Participant) -> Share.Participant {
        Share.Participant(
            participantID: object.participantID, userRecordName: object.userRecordName(user: user),
            role: Share.ParticipantRole(rawValue: object.role.rawValue) ?? .unknown,
            permission: Share.ParticipantPermission(rawValue: object.permission.rawValue) ?? .unknown,
            acceptanceStatus: Share.ParticipantAcceptanceStatus(rawValue: object.acceptanceStatus.rawValue) ?? .unknown)
    }

    /// Reads the description of a share.
    func metadata(_ object: CKShare.Metadata) throws(CabinetError) -> Share.Metadata {
        var share = try Share(record(object.share))
        if let root = object.hierarchicalRootRecordID { share = share.covering(recordID(root)) }
        let participant = Share.Participant(
            participantID: RecordID.uniqueRecordName(), userRecordName: user ?? CKCurrentUserDefaultName,
            role: Share.ParticipantRole(rawValue: object.participantRole.rawValue) ?? .unknown,
            permission: Share.ParticipantPermission(rawValue: object.participantPermission.rawValue) ?? .unknown,
            acceptanceStatus: Share.ParticipantAcceptanceStatus(rawValue: object.participantStatus.rawValue) ?? .unknown
        )
        return Share.Metadata(
            containerIdentifier: object.containerIdentifier, share: share, participant: participant,
            rootRecord: try object.rootRecord.map { object throws(CabinetError) in try record(object) })
    }
}

extension RecordWriter {
    /// Sets the members of a share that differ from those of the server's.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the share cannot be read, or iCloud has not found the user of a new
    ///   participant.
    func write(_ sent: Share, to share: CKShare) throws(CabinetError) {
        if sent.allowsAccessRequests || !sent.blockedIdentities.isEmpty {
            throw CloudKitGap.accessRequests.error(
                "Set allowsAccessRequests of the CKShare itself.", recordID: sent.recordID)
        }
        let permission = CKShare.ParticipantPermission(rawValue: sent.publicPermission.rawValue) ?? .unknown
        if share.publicPermission != permission { share.publicPermission = permission }
        var known: Set<String> = []
        for object in share.participants where object.role != .owner {
            let name = object.userRecordName(user: user)
            guard let participant = sent.participant(for: RecordID(recordName: name)) else {
                share.removeParticipant(object)
                continue
            }
            known.insert(name)
            object.set(participant)
        }
        known.insert(share.owner.userRecordName(user: user))
        for participant in sent.participants {
            let name = participant.userRecordName
            if known.contains(name) { continue }
            if name.isEmpty {
                throw CloudKitGap.oneTimeURLs.error("Add the participant by an address.", recordID: sent.recordID)
            }
            if participant.role == .owner {
                throw CabinetError(.invalidArguments, "A share has one owner.", recordID: sent.recordID)
            }
            guard let object = participants[name] else {
                throw CabinetError(
                    .invalidArguments, "iCloud has found no user '\(name)' to share with.", recordID: sent.recordID)
            }
            object.set(participant)
            share.addParticipant(object)
        }
    }
}

extension CKShare.Participant {
    /// The record name of the user; a name from the ID of the participant if iCloud has not found the user yet.
    func userRecordName(user: String?) -> String {
        guard let name = userIdentity.userRecordID?.recordName else { return "_\(participantID)" }
        return name == CKCurrentUserDefaultName ? user ?? name : name
    }

    /// Sets the role and the permission, if they differ.
    fileprivate func set(_ participant: Share.Participant) {
        if permission.rawValue != participant.permission.rawValue {
            permission = CKShare.ParticipantPermission(rawValue: participant.permission.rawValue) ?? .unknown
        }
        if role.rawValue != participant.role.rawValue {
            role = CKShare.ParticipantRole(rawValue: participant.role.rawValue) ?? .unknown
        }
    }
}
