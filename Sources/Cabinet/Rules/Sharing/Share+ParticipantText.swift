import Foundation

/// A participant is stored as one text: the version of the form, the numbers of role, permission and state, the two identifiers, and
/// the user's name, which may have spaces.
extension Share.Participant {
    private static let version = "1"
    /// The version of a participant with a one-time URL, whose last part stands before the user's name, which may be empty.
    private static let oneTimeVersion = "2"
    /// The version of a participant that was saved, which has the time between both; a plus sign follows it for an approved requester.
    private static let datedVersion = "3"
    private static let nothing = "-"
    /// A one-time URL that is not known.
    private static let hidden = "*"
    private static let approved = "+"

    /// The largest number of bytes of an identifier.
    static let maximumIDLength = 64

    /// The stored form.
    package var text: String {
        let numbers = "\(role.rawValue) \(permission.rawValue) \(acceptanceStatus.rawValue)"
        let ids = "\(acceptanceID ?? Self.nothing) \(participantID)"
        if let dateAddedToShare {
            let guid = oneTimeShortGUID.map { $0.isEmpty ? Self.hidden : $0 } ?? Self.nothing
            let date = "\(dateAddedToShare.timeIntervalSinceReferenceDate)\(isApprovedRequester ? Self.approved : "")"
            return "\(Self.datedVersion) \(numbers) \(ids) \(guid) \(date) \(userRecordName)"
        }
        guard let oneTimeShortGUID else { return "\(Self.version) \(numbers) \(ids) \(userRecordName)" }
        let guid = oneTimeShortGUID.isEmpty ? Self.nothing : oneTimeShortGUID
        return "\(Self.oneTimeVersion) \(numbers) \(ids) \(guid) \(userRecordName)"
    }

    /// Reads the stored form; `nil` if the text is not one.
    init?(text: String) {
        let version = text.prefix { $0 != " " }
        guard let count = [Self.version: 7, Self.oneTimeVersion: 8, Self.datedVersion: 9][String(version)] else {
            return nil
        }
        let parts = text.split(separator: " ", maxSplits: count - 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == count, let role = Int(parts[1]), let permission = Int(parts[2]),
            let status = Int(parts[3]), Self.isIdentifier(parts[4]), Self.isIdentifier(parts[5])
        else { return nil }
        self.init(
            participantID: parts[5], userRecordName: parts[count - 1],
            role: Share.ParticipantRole(rawValue: role) ?? .unknown,
            permission: Share.ParticipantPermission(rawValue: permission) ?? .unknown,
            acceptanceStatus: Share.ParticipantAcceptanceStatus(rawValue: status) ?? .unknown,
            acceptanceID: parts[4] == Self.nothing ? nil : parts[4])
        if count > 7 {
            switch parts[6] {
            case Self.hidden where count == 9: oneTimeShortGUID = ""
            case Self.nothing: oneTimeShortGUID = count == 9 ? nil : ""
            default:
                oneTimeShortGUID = parts[6]
                if ShareURL(shortGUID: parts[6]) == nil { return nil }
            }
        }
        if count == 9 {
            isApprovedRequester = parts[7].hasSuffix(Self.approved)
            let seconds = Double(isApprovedRequester ? String(parts[7].dropLast()) : parts[7])
            guard let seconds, seconds.isFinite else { return nil }
            dateAddedToShare = Date(timeIntervalSinceReferenceDate: seconds)
        }
        guard NameGrammar.userRecordName.allows(userRecordName) || oneTimeShortGUID != nil && userRecordName.isEmpty
        else { return nil }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count <= maximumIDLength && NameGrammar.printable.allows(text)
    }
}
