/// A share, and the participant that the user is or would be.
struct SharedZoneMetadata: Sendable, Hashable {
    var share = Record(recordType: "")
    /// The participant in the form of ``Share/Participant/text``.
    var participant = ""
    /// The root of the hierarchy, if the request asked for it.
    var rootRecord: Record?
}

extension SharedZoneMetadata {
    init(share: Record, _ participant: Share.Participant, rootRecord: Record? = nil) {
        self.init(share: share, participant: participant.text, rootRecord: rootRecord)
    }

    /// Returns the metadata of a container.
    func metadata(in containerIdentifier: String) throws(CabinetError) -> Share.Metadata {
        guard let participant = Share.Participant(text: participant) else {
            throw CabinetError(.internalError, "The service's answer has no participant.", recordID: share.recordID)
        }
        return Share.Metadata(
            containerIdentifier: containerIdentifier, share: try Share(share), participant: participant,
            rootRecord: rootRecord)
    }
}

extension SharedZoneMetadata: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("share", &share)
        try coder.part("participant", &participant)
        try coder.part("rootRecord", &rootRecord)
    }
}
