/// A share, and the participant that the user is or would be.
struct SharedZoneMetadata: Sendable, Hashable {
    var share = Record(recordType: "")
    /// The participant in the form of ``Share/Participant/text``.
    var participant = ""
}

extension SharedZoneMetadata {
    init(share: Record, _ participant: Share.Participant) {
        self.init(share: share, participant: participant.text)
    }

    /// Returns the metadata of a container.
    func metadata(in containerIdentifier: String) throws(CabinetError) -> Share.Metadata {
        guard let participant = Share.Participant(text: participant) else {
            throw CabinetError(.internalError, "The service's answer has no participant.", recordID: share.recordID)
        }
        return Share.Metadata(
            containerIdentifier: containerIdentifier, share: try Share(share), participant: participant)
    }
}

extension SharedZoneMetadata: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("share", &share)
        try coder.part("participant", &participant)
    }
}
