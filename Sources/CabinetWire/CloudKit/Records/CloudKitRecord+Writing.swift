import Cabinet

/// Writes records, deletions and errors in the position of a record.
struct CloudKitRecordWriter {
    /// The database of the records.
    var scope: DatabaseScope
    var values: CloudKitValueWriter
    /// The short GUIDs of shares and other records.
    var shortGUIDs: [RecordID: String] = [:]
    /// Returns the download URL of an asset in a field.
    var downloadURL: (StoredAsset, AssetSlot) -> String? = { _, _ in nil }

    /// Writes a record.
    ///
    /// - Parameter keys: The fields to write; `nil` for all.
    func write(_ record: Record, keys: Set<Record.FieldKey>? = nil, to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            try writeMembers(record, keys: keys, to: &writer)
        }
    }

    private func writeMembers(
        _ record: Record, keys: Set<Record.FieldKey>?, to writer: inout JSONWriter
    ) throws(CabinetError) {
        let id = record.recordID
        let isShare = record.recordType == Share.recordType
        writer.member("recordName", id.recordName)
        writer.member("recordType", record.recordType)
        try writer.member("fields") { writer throws(CabinetError) in
            let fields = record.fields
            for (name, value) in zip(fields.names.names, fields.values) {
                guard let value, keys?.contains(name) ?? true else { continue }
                if isShare, Share.SystemFieldKey.ofMembers.contains(name) { continue }
                writer.key(name)
                if value.fieldType.scalar == .asset {
                    var values = values
                    let slot = AssetSlot(scope: scope, recordID: id, recordType: record.recordType, fieldKey: name)
                    values.downloadURL = { downloadURL($0, slot) }
                    try values.write(value, to: &writer)
                } else {
                    try values.write(value, to: &writer)
                }
            }
        }
        try writer.member("pluginFields") { _ in }
        if let tag = record.recordChangeTag { writer.member("recordChangeTag", tag) }
        if let date = record.creationDate {
            try writer.member("created") { writer in
                writer.stamp(date.milliseconds, record.creatorUserRecordID?.recordName)
            }
        }
        if let date = record.modificationDate {
            try writer.member("modified") { writer in
                writer.stamp(date.milliseconds, record.lastModifiedUserRecordID?.recordName)
            }
        }
        if let parent = record.parent {
            try writer.member("parent") { writer in writer.member("recordName", parent.recordID.recordName) }
        }
        if let shareID = record.share?.recordID {
            try writer.member("share") { writer throws(CabinetError) in
                writer.member("recordName", shareID.recordName)
                try writer.zone(shareID.zoneID, values.userRecordName)
            }
        }
        // The short GUID of a root is that of its share.
        if !isShare, let shortGUID = (record.share?.recordID).flatMap({ shortGUIDs[$0] }) ?? shortGUIDs[id] {
            writer.member("shortGUID", shortGUID)
        }
        if isShare { try CloudKitShare.writeMembers(of: Share(record), values.userRecordName, to: &writer) }
        writer.member("deleted", false)
        try writer.zone(id.zoneID, values.userRecordName)
    }

    /// Writes a deletion of a feed.
    func write(_ deletion: RecordZoneChange.Deletion, to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            writer.member("recordName", deletion.recordID.recordName)
            writer.member("recordType", deletion.recordType)
            writer.member("deleted", true)
            try writer.zone(deletion.recordID.zoneID, values.userRecordName)
        }
    }

    /// Writes an error in the position of a record; a conflict with the server's record.
    func write(_ failure: CloudKitFailure, of id: RecordID, to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            writer.member("recordName", id.recordName)
            failure.writeMembers(to: &writer)
            if let record = failure.error.serverRecord {
                writer.key("serverRecord")
                try write(record, to: &writer)
            }
        }
    }
}

extension JSONWriter {
    /// Writes the members of `created` and `modified`.
    fileprivate mutating func stamp(_ milliseconds: Int64, _ userRecordName: String?) {
        member("timestamp", milliseconds)
        if let userRecordName { member("userRecordName", userRecordName) }
        // The device is not stored; the service writes a number that means nothing to a client.
        member("deviceID", "2")
    }
}

extension CloudKitEndpoint {
    /// Returns a writer of the database's records.
    func recordWriter(numbersAsStrings: Bool = false) -> CloudKitRecordWriter {
        let values = CloudKitValueWriter(
            userRecordName: caller.account?.userRecordName, numbersAsStrings: numbersAsStrings)
        return CloudKitRecordWriter(scope: scope, values: values) { [host, caller] asset, slot in
            host.downloadURL(of: asset, in: slot, caller: caller)
        }
    }

    /// Returns a writer of some of the database's records, which has the short GUIDs of the roots among them.
    func recordWriter(of found: [Record], numbersAsStrings: Bool = false) async throws -> CloudKitRecordWriter {
        var writer = recordWriter(numbersAsStrings: numbersAsStrings)
        writer.shortGUIDs = try await shortGUIDs(ofRootsAmong: found)
        return writer
    }

    /// Whether a request asks for numbers as texts, by any of the two names of the key.
    ///
    /// - Parameter outer: The object around it, which decides what it leaves open.
    static func numbersAsStrings(_ node: JSONNode, in outer: JSONNode? = nil) throws(CabinetError) -> Bool {
        if let flag = node["numbersAsStrings"] ?? node["numberAsStrings"] { return try flag.bool() }
        return try outer.map { outer throws(CabinetError) in try numbersAsStrings(outer) } ?? false
    }

    /// Writes a result in the position of a record.
    func write(
        _ result: Result<Record, CabinetError>, of id: RecordID, keys: Set<Record.FieldKey>?,
        by records: CloudKitRecordWriter, to writer: inout JSONWriter
    ) throws(CabinetError) {
        switch result {
        case .success(let record): try records.write(record, keys: keys, to: &writer)
        case .failure(let error): try records.write(CloudKitFailure(error: error), of: id, to: &writer)
        }
    }
}
