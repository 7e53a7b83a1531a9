import Cabinet
import Foundation

/// Reads the records of answers.
struct CloudKitRecordReader {
    /// The record name of the user, if it is known.
    var userRecordName: String?
    /// The zone of the request, or `nil` if it names none.
    var zoneID: RecordZone.ID?
    /// Whether fields that an answer lacks are unknown.
    var isPartial = false
    /// Whether a value that Cabinet cannot hold is left out, and is not an error.
    var skipsUnreadable = false
    /// The database.
    var scope = DatabaseScope.private
    /// Returns the URL of the share with a short GUID.
    var shareURL: (String) -> URL? = { _ in nil }
    /// Receives the URL and the field of each asset.
    var remember: (String, StoredAsset, AssetSlot) -> Void = { _, _, _ in }

    /// Returns the zone of an answer, by the placeholder of its owner if it is the user's own or of the public database.
    func zone(_ answered: RecordZone.ID) -> RecordZone.ID {
        let own = RecordZone.ID(zoneName: answered.zoneName)
        // A server may answer with the name of its key's user, which a client with a key does not know.
        if scope == .public || answered.ownerName == userRecordName { return own }
        // The request names its own zone without the user, whose name may be unknown.
        return zoneID == own ? own : answered
    }

    /// Reads a record.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/incompatibleVersion`` if a field has a value that Cabinet cannot hold.
    func read(_ node: JSONNode) throws(CabinetError) -> Record {
        let zoneID = zone(
            try node["zoneID"].map { node throws(CabinetError) in try CloudKitZone.read(node) } ?? self.zoneID
                ?? .default)
        let id = RecordID(recordName: try node.required("recordName").string(), zoneID: zoneID)
        var header = Record.Header(try node.required("recordType").string(), id)
        header.recordChangeTag = try node["recordChangeTag"]?.string()
        (header.creationDate, header.creatorUserRecordID) = try stamp(node["created"])
        (header.modificationDate, header.lastModifiedUserRecordID) = try stamp(node["modified"])
        if let parent = node["parent"] {
            let name = try parent.required("recordName").string()
            header.parent = Reference(recordID: RecordID(recordName: name, zoneID: zoneID), action: .none)
        }
        if let share = node["share"] {
            let name = try share.required("recordName").string()
            header.share = Reference(recordID: RecordID(recordName: name, zoneID: zoneID), action: .none)
        }
        let recordType = header.recordType
        var fields = try self.fields(try node.required("fields").object(), of: id) { [scope, remember] in
            remember($0, $1, AssetSlot(scope: scope, recordID: id, recordType: recordType, fieldKey: $2))
        }
        if recordType == Share.recordType {
            for (key, value) in try CloudKitShare.fields(node, in: zoneID, shareURL) { fields[key] = value }
        }
        return Record(header: header, fields: fields, fetched: Record.Fetched(fields, header.parent))
    }

    private func fields(
        _ node: JSONNode, of id: RecordID,
        _ remember: @escaping (String, StoredAsset, Record.FieldKey) -> Void
    ) throws(CabinetError) -> FieldValues {
        var names: [String] = []
        var values: [FieldValue?] = []
        names.reserveCapacity(node.count)
        values.reserveCapacity(node.count)
        var isComplete = !isPartial
        var reader = CloudKitValueReader(
            zoneID: id.zoneID, mapZone: zone, readsAnswers: true, remember: remember)
        for (name, node) in node.members {
            do {
                values.append(try reader.read(node, of: name))
                names.append(name)
            } catch {
                guard skipsUnreadable else {
                    throw CabinetError(
                        .incompatibleVersion,
                        "The server's record has a value that Cabinet cannot hold: \(error.message)", recordID: id,
                        fieldKey: name, underlyingError: error)
                }
                isComplete = false
            }
        }
        return FieldValues(names: .known(names), values: values, isComplete: isComplete)
    }

    private func stamp(_ node: JSONNode?) throws(CabinetError) -> (Date?, RecordID?) {
        guard let node else { return (nil, nil) }
        return (
            try node["timestamp"]?.double().date,
            try node["userRecordName"].map { node throws(CabinetError) in
                RecordID(recordName: try node.string())
            }
        )
    }

    /// Reads a record or an error in its position.
    ///
    /// - Parameter id: The record of the request.
    func result(_ node: JSONNode, of id: RecordID) throws(CabinetError) -> Result<Record, CabinetError> {
        guard var error = try CloudKitFailure.read(node, recordID: id) else {
            do {
                return .success(try read(node))
            } catch let error where error.code == .incompatibleVersion {
                return .failure(error)
            }
        }
        if error.code == .serverRecordChanged, let record = node["serverRecord"] {
            error.setServerRecord(try read(record))
        }
        return .failure(error)
    }
}

extension Double {
    /// The date of a number of milliseconds since 1970.
    fileprivate var date: Date { Date(milliseconds: self) }
}

extension CabinetError {
    /// Adds the server's record to a conflict; the client has the other two.
    mutating func setServerRecord(_ record: Record) {
        conflict = RecordConflict(
            clientRecord: Record(recordType: record.recordType, recordID: record.recordID), serverRecord: record,
            ancestorRecord: nil)
    }
}
