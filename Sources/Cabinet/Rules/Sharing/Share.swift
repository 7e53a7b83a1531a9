public import Foundation

/// A record that says who may read and change the records of a zone, or a hierarchy of records: CloudKit's `CKShare`.
///
/// ```swift
/// var share = Share(recordZoneID: zone.zoneID)
/// share[Share.SystemFieldKey.title] = "Groceries"
/// share.addParticipant(Share.Participant(userRecordName: "_ben"))
/// share = try await container.privateDatabase.save(share)
/// ```
///
/// A share of a zone covers every record of the zone, present and future. Its name is ``zoneWideRecordName``. The share of a root record
/// covers the root and every record below it, along ``Record/parent``. A share lies in the zone of its records, and is saved, fetched,
/// changed and deleted like any other record. The owner and administrators change it. <doc:SharingRecords> describes its life.
public struct Share: Sendable, Hashable {
    /// The share as a record, for a batch that saves it with others.
    public internal(set) var record: Record

    /// The participants that the current user may see; the owner comes first, once the share has been saved.
    public private(set) var participants: [Participant]

    /// The record type of every share: `cloudkit.share`.
    public static let recordType: Record.RecordType = "cloudkit.share"

    /// The record name of every share of a whole zone: `cloudkit.zoneshare`.
    public static let zoneWideRecordName = "cloudkit.zoneshare"

    /// The largest number of participants, without the owner.
    public static let maximumParticipants = 100

    /// Creates the share of a zone, which is in effect after it has been saved.
    ///
    /// - Parameter recordZoneID: A zone of the user's private database, other than the default zone.
    public init(recordZoneID: RecordZone.ID) {
        record = Record(
            recordType: Self.recordType,
            recordID: RecordID(recordName: Self.zoneWideRecordName, zoneID: recordZoneID))
        participants = []
    }

    /// Creates the share of a record and of all records below it, which is in effect after it has been saved.
    ///
    /// ```swift
    /// let share = Share(rootRecord: list)
    /// let (saved, _) = try await container.privateDatabase.modifyRecords(
    ///     saving: [list, share.record], deleting: [])
    /// ```
    ///
    /// Save a new share in one batch with its root. Later saves of the share may go alone.
    ///
    /// - Parameters:
    ///   - rootRecord: A record of a zone of the user's private database, other than the default zone.
    ///   - shareID: The identity of the share, in the zone of the root. The default is a new name.
    public init(rootRecord: Record, shareID: RecordID? = nil) {
        let root = rootRecord.recordID
        record = Record(
            recordType: Self.recordType,
            recordID: shareID ?? RecordID(recordName: RecordID.uniqueRecordName(), zoneID: root.zoneID))
        participants = []
        record.setFieldValue(
            .reference(Reference(recordID: root, action: .deleteSelf)), forKey: SystemFieldKey.rootRecord)
    }

    /// Creates a share from a record that was fetched or saved.
    ///
    /// - Parameter record: A record of the type ``recordType``, with all fields.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the record is not a share, or a part of it is damaged.
    public init(_ record: Record) throws(CabinetError) {
        guard record.recordType.hasSameScalars(as: Self.recordType) else {
            throw CabinetError(
                .invalidArguments, "The record is of type \(record.recordType); expected \(Self.recordType).",
                recordID: record.recordID)
        }
        self.record = record
        participants = try ShareContent(record.fields, of: record.recordID).participants
    }
}

extension Share {
    /// The identity of the share.
    public var recordID: RecordID { record.recordID }

    /// The version of the share; `nil` before the first save.
    public var recordChangeTag: String? { record.recordChangeTag }

    /// The record whose hierarchy is shared; `nil` in the share of a whole zone.
    public var rootRecordID: RecordID? { ShareContent.root(in: record.fields) }

    /// The permission of every user that knows the URL; ``ParticipantPermission/none`` for a private share, which is the default.
    ///
    /// A change from ``ParticipantPermission/none`` removes the participants that have not accepted, and a change to it removes
    /// all participants, but not those that the same save adds.
    public var publicPermission: ParticipantPermission {
        get { ShareContent.publicPermission(in: record.fields) ?? .unknown }
        set { record.setFieldValue(.int64(Int64(newValue.rawValue)), forKey: SystemFieldKey.publicPermission) }
    }

    /// The URL by which participants find the share; `nil` before the first save.
    ///
    /// It stays the same if the zone, or the root record, is shared again after the share was deleted.
    public var url: URL? {
        ShareContent.urlText(in: record.fields).flatMap { text in
            // A server, or another service, has URLs of its own.
            text.contains("://") ? URL(string: text) : ShareURL(shortGUID: text)?.url
        }
    }

    /// Returns the URL by which the first user that opens it becomes a participant; `nil` before the first save, and in the
    /// copies of participants that may not change the share.
    ///
    /// For that user it is equal to ``url`` afterwards, and it opens the share for no other one.
    ///
    /// - Parameter participantID: The identifier of a participant that was created by ``Participant/oneTimeURLParticipant()``.
    public func oneTimeURL(for participantID: String) -> URL? {
        let participant = participants.first { $0.participantID == participantID }
        guard let url, let shortGUID = participant?.oneTimeShortGUID, !shortGUID.isEmpty else { return nil }
        return url.deletingLastPathComponent().appendingPathComponent(shortGUID)
    }

    /// The owner; `nil` before the first save.
    public var owner: Participant? { participants.first { $0.role == .owner } }

    /// Returns the participant that a user is; `nil` if there is none, or if the current user may not see it.
    public func participant(for userRecordID: RecordID) -> Participant? {
        participants.first { $0.userRecordName.hasSameScalars(as: userRecordID.recordName) }
    }

    /// Returns the participant that another one is now; `nil` if the share has it no longer.
    package func current(_ participant: Participant) -> Participant? {
        position(of: participant).map { participants[$0] }
    }

    /// Adds a participant, or changes the role and the permission of the one that the same user is.
    ///
    /// A participant with a one-time URL stays the same after a user has opened the URL.
    /// Only a private share, whose ``publicPermission`` is ``ParticipantPermission/none``, accepts new participants.
    public mutating func addParticipant(_ participant: Participant) {
        if let position = position(of: participant) {
            participants[position].role = participant.role
            participants[position].permission = participant.permission
        } else {
            participants.append(participant)
        }
        storeParticipants()
    }

    /// Removes a participant, which loses the shared records when the share is saved.
    ///
    /// The owner stays.
    public mutating func removeParticipant(_ participant: Participant) {
        guard let position = position(of: participant), participants[position].role != .owner else { return }
        participants.remove(at: position)
        storeParticipants()
    }

    private func position(of participant: Participant) -> Int? {
        participants.firstIndex { $0.isCurrent(participant) }
    }

    private mutating func storeParticipants() {
        store(ShareContent.fieldValue(of: participants), forKey: SystemFieldKey.participants)
    }

    /// Stores a list of users; a save refuses one that would replace a list which was not fetched.
    mutating func store(_ users: FieldValue?, forKey key: Record.FieldKey) {
        record.setFieldValue(users, forKey: key)
        guard record.fetched?.fields.knows(key) == false else { return }
        record.mutate { $0.misfits[key] = "a list in place of one that was not fetched (fetch the whole share)" }
    }
}

extension Share {
    /// The value of a field, as the record's subscript returns it; `nil` removes the value.
    public subscript(key: Record.FieldKey) -> (any RecordValue)? {
        get { record[key] }
        set { record[key] = newValue }
    }

    /// The value of a field, converted to a type, as the record's subscript returns it.
    public subscript<Value: RecordValue>(key: Record.FieldKey) -> Value? {
        get { record[key] }
        set { record[key] = newValue }
    }

    /// The keys of the fields that every share may have.
    public enum SystemFieldKey {
        /// The key of the title, a text.
        public static let title: Record.FieldKey = "cloudkit.title"
        /// The key of a small picture, as bytes.
        public static let thumbnailImageData: Record.FieldKey = "cloudkit.thumbnailImageData"
        /// The key of the kind of content, a uniform type identifier.
        public static let shareType: Record.FieldKey = "cloudkit.type"

        /// The key of the permission of all users that know the URL.
        package static let publicPermission: Record.FieldKey = "cloudkit.publicPermission"
        /// The key of the list of participants.
        package static let participants: Record.FieldKey = "cloudkit.participants"
        /// The key of the Boolean value that lets users ask for access.
        package static let allowsAccessRequests: Record.FieldKey = "cloudkit.allowsAccessRequests"
        /// The key of the list of users that have asked for access.
        package static let requesters: Record.FieldKey = "cloudkit.requesters"
        /// The key of the list of users that may not ask for access.
        package static let blocked: Record.FieldKey = "cloudkit.blocked"
        /// The key of the part of the URL that identifies the share.
        static let shortGUID: Record.FieldKey = "cloudkit.shortGUID"
        /// The key of the reference to the root, whose deletion deletes the share.
        package static let rootRecord: Record.FieldKey = "cloudkit.rootRecord"

        /// The keys of the fields that members of ``Share`` alone read and write.
        package static let ofMembers: Set<Record.FieldKey> = [
            publicPermission, participants, shortGUID, rootRecord, allowsAccessRequests, requesters, blocked,
        ]

        /// The fields with their types.
        static let types: [Record.FieldKey: FieldType] = [
            title: .string, thumbnailImageData: .bytes, shareType: .string, publicPermission: .int64,
            participants: .list(of: .string), shortGUID: .string, rootRecord: .reference,
            allowsAccessRequests: .int64, requesters: .list(of: .string), blocked: .list(of: .string),
        ]
    }
}
