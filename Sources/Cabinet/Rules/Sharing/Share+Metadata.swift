extension Share {
    /// The description of a share that its URL leads to, before the user accepts it: CloudKit's `CKShare.Metadata`.
    public struct Metadata: Sendable, Hashable {
        /// The identifier of the container.
        public let containerIdentifier: String

        /// The share, whose ID has the owner's name.
        public let share: Share

        /// The participant that the user is, or will be after accepting.
        package let participant: Participant

        /// The record whose hierarchy is shared, if it was asked for; `nil` if a whole zone is shared.
        public let rootRecord: Record?

        /// The last part of the URL that led to the share, which may be a one-time URL; `nil` for the share's own.
        package var shortGUID: String?

        /// The role that the user has, or will have after accepting.
        public var participantRole: ParticipantRole { participant.role }

        /// The state of the user in the share.
        public var participantStatus: ParticipantAcceptanceStatus { participant.acceptanceStatus }

        /// The permission that the user has, or will have after accepting.
        public var participantPermission: ParticipantPermission { participant.permission }

        /// The record name of the owner.
        public var ownerUserRecordName: String { share.recordID.zoneID.ownerName }

        /// The record whose hierarchy is shared, as the user's shared database names it; `nil` if a whole zone is shared.
        public var hierarchicalRootRecordID: RecordID? { share.rootRecordID }

        /// The zone of the shared records, as the user's shared database names it after the share was accepted.
        public var zoneID: RecordZone.ID { share.recordID.zoneID }

        /// Creates the metadata of a share from their parts.
        package init(
            containerIdentifier: String, share: Share, participant: Participant, rootRecord: Record? = nil
        ) {
            self.containerIdentifier = containerIdentifier
            self.share = share
            self.participant = participant
            self.rootRecord = rootRecord
        }
    }
}
