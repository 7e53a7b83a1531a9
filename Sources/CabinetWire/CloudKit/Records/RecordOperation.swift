import Cabinet
import Foundation

/// An operation of `records/modify`.
struct RecordOperation {
    /// The kinds of operations.
    enum Kind: String, CaseIterable {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete

        /// Whether the operation compares no change tag.
        var isForced: Bool { self == .forceUpdate || self == .forceReplace || self == .forceDelete }
        /// Whether fields that the operation does not name lose their values.
        var replaces: Bool { self == .replace || self == .forceReplace }
        var deletes: Bool { self == .delete || self == .forceDelete }
        /// Whether the operation needs a change tag.
        var needsTag: Bool { self == .update || self == .replace || self == .delete }

        init(_ operation: JSONNode) throws(CabinetError) {
            let type = try operation.required("operationType")
            guard let kind = Self(rawValue: try type.string()) else {
                throw type.error(expected: Self.allCases.map(\.rawValue).joined(separator: ", "))
            }
            self = kind
        }
    }

    let kind: Kind
    let id: RecordID
    let recordType: Record.RecordType
    let tag: String?
    /// The names of the sent fields with their values; `nil` removes one.
    let values: [(key: Record.FieldKey, value: FieldValue?)]
    /// The parent; `nil` if the operation does not change it.
    let parent: Parent?
    /// The root of a hierarchy that the operation shares.
    let root: CloudKitShare.Root?
    /// Whether the response has the short GUID that a share of the record will have.
    let createsShortGUID: Bool
    /// The fields of the record in the response.
    let desiredKeys: Set<Record.FieldKey>?

    /// A change of the parent.
    enum Parent {
        case none
        case record(RecordID)
    }

    /// Whether an operation is read by the types of the fields: it clears those that it does not name, or a value has no type.
    static func needsSchema(_ operation: JSONNode) throws(CabinetError) -> Bool {
        let kind = try Kind(operation)
        if kind.deletes || kind.replaces { return kind.replaces }
        guard let fields = operation["record"]?["fields"] else { return false }
        for (_, value) in fields.members {
            if value.isNull { continue }
            guard value.kind == .object, let type = value["type"] else { return true }
            if try CloudKitType.type(type) == nil { return true }
        }
        return false
    }

    /// Reads an operation.
    ///
    /// - Parameters:
    ///   - zoneID: The zone of a record that names none.
    ///   - fields: The types of the fields of each record type.
    ///   - users: The record names of the users that participants of shares name otherwise.
    ///   - reader: The reader of the values, which collects their uploads.
    init(
        _ node: JSONNode, in zoneID: RecordZone.ID, fields: [Record.RecordType: [Record.FieldKey: FieldType]],
        users: [UserLookup: String] = [:], _ reader: inout CloudKitValueReader
    ) throws(CabinetError) {
        let kind = try Kind(node)
        let record = try node.required("record").object()
        let zoneID =
            try record["zoneID"].map { node throws(CabinetError) in reader.mapZone(try CloudKitZone.read(node)) }
            ?? zoneID
        let isShare = try CloudKitShare.isShare(record)
        root = isShare && kind == .create ? try CloudKitShare.Root(record, in: zoneID) : nil
        createsShortGUID = try (record["createShortGUID"] ?? node["createShortGUID"])?.bool() ?? false
        let name = try record["recordName"]?.string() ?? (isShare && root == nil ? Share.zoneWideRecordName : nil)
        guard name != nil || kind == .create else { throw record.missing("recordName") }
        self.kind = kind
        id = name.map { RecordID(recordName: $0, zoneID: zoneID) } ?? RecordID(zoneID: zoneID)
        tag = try record["recordChangeTag"]?.string()
        if kind.needsTag, tag == nil { throw record.missing("recordChangeTag") }
        desiredKeys = try CloudKitEndpoint.desiredKeys(node["desiredKeys"] == nil ? record : node)
        if kind.deletes {
            (recordType, values, parent) = ("", [], nil)
            return
        }
        recordType = try record.required("recordType").string()
        reader.zoneID = zoneID
        reader.fields = isShare ? CloudKitShare.fields : fields[recordType] ?? [:]
        var values: [(key: Record.FieldKey, value: FieldValue?)] = []
        if let fields = try record["fields"]?.object() {
            for (key, value) in fields.members {
                if isShare, Share.SystemFieldKey.ofMembers.contains(key) {
                    throw value.error(expected: "no value: a share has it as a member beside its fields")
                }
                values.append((key, try reader.read(value, of: key)))
            }
        }
        if isShare { values += try CloudKitShare.members(record, users: users) }
        if let root {
            let reference = Reference(recordID: root.id, action: .deleteSelf)
            values.append((Share.SystemFieldKey.rootRecord, .reference(reference)))
        }
        if kind.replaces {
            let sent = Set(values.map(\.key))
            values += reader.fields.keys.filter { !sent.contains($0) }.sorted().map { ($0, nil) }
        }
        self.values = values
        if let node = record["parent"] {
            parent = .record(RecordID(recordName: try node.required("recordName").string(), zoneID: zoneID))
        } else {
            parent = record.has("parent") || kind.replaces ? Parent.none : nil
        }
    }

    /// The record to save.
    ///
    /// - Parameter tag: The change tag that the server's record must have; `nil` for a record that was never fetched.
    func record(tag: String?) -> Record {
        var header = Record.Header(recordType, id)
        header.recordChangeTag = tag
        if case .record(let target)? = parent { header.parent = Reference(recordID: target, action: .none) }
        let fields = FieldValues(names: .known(values.map(\.key)), values: values.map(\.value), isComplete: tag == nil)
        // Every sent field counts as changed, since the record as it was fetched is unknown. So does a parent that was removed.
        var oldParent: Reference?
        if case .some(.none) = parent { oldParent = Reference(recordID: id, action: .none) }
        if tag == nil, oldParent == nil { return Record(header: header, fields: fields, fetched: nil) }
        let nothing = FieldValues(names: .empty, values: [], isComplete: false)
        return Record(header: header, fields: fields, fetched: Record.Fetched(nothing, oldParent))
    }
}
