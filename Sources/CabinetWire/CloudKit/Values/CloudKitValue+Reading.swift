import Cabinet
import Foundation

/// Reads the values of fields, by their type, the schema's, or the form of the JSON.
struct CloudKitValueReader {
    /// The types of the fields, for values without a type.
    var fields: [Record.FieldKey: FieldType] = [:]
    /// The zone of references that name none.
    var zoneID = RecordZone.ID.default
    /// Returns the zone to use for one of the JSON.
    var mapZone: (RecordZone.ID) -> RecordZone.ID = { $0 }
    /// Whether the values are of a server's answer.
    ///
    /// Its assets may have checksums of another kind, which then stand for themselves, and encrypted values may be in the clear.
    var readsAnswers = false
    /// Receives the download URLs of assets, with their fields.
    var remember: (String, StoredAsset, Record.FieldKey) -> Void = { _, _, _ in }
    /// The field whose value is read.
    private(set) var key = ""
    /// Returns the asset that a receipt stands for, and its upload.
    var receipt: (String) throws(CabinetError) -> (asset: StoredAsset, upload: UUID?) = { _ throws(CabinetError) in
        throw CabinetError(.invalidArguments, "The receipt is unknown.")
    }
    /// The uploads whose receipts were read.
    private(set) var uploads: [UUID] = []

    /// Reads the value of a field: `{"value": …, "type": …}`, or a bare value.
    ///
    /// - Returns: The value; `nil` for null and for an empty object, which remove the field's value.
    mutating func read(_ node: JSONNode, of key: Record.FieldKey) throws(CabinetError) -> FieldValue? {
        self.key = key
        if node.isNull { return nil }
        guard node.kind == .object, node.count == 0 || node.has("value") || node.has("type") else {
            if fields[key]?.isEncrypted == true { throw node.error(expected: "a value of the type ENCRYPTED_BYTES") }
            return try read(node, as: fields[key])
        }
        guard let value = node["value"] else { return nil }
        let type = try node["type"].map { node throws(CabinetError) in try CloudKitType.type(node) } ?? nil
        if type == .encryptedBytes { return try encryptedValue(value) }
        guard try node["isEncrypted"]?.bool() == true || fields[key]?.isEncrypted == true else {
            return try read(value, as: type ?? fields[key])
        }
        guard readsAnswers else {
            throw node.error(
                expected: "an encrypted value, of the type ENCRYPTED_BYTES: the server has no key to encrypt it with")
        }
        guard let plain = try read(value, as: type ?? fields[key]) else { return nil }
        // Apple's service has the keys, and answers some encrypted values in the clear.
        guard let encrypted = EncryptedValue(plain) else { throw node.error(expected: "a type that is encrypted") }
        return .encrypted(encrypted)
    }

    /// Reads a ciphertext, whose type after decryption only the schema knows.
    private func encryptedValue(_ node: JSONNode) throws(CabinetError) -> FieldValue? {
        if node.isNull { return nil }
        let type = fields[key].flatMap { $0.isEncrypted ? $0 : nil } ?? .encryptedBytes
        return EncryptedValue(type, ciphertext: try node.data()).map { .encrypted($0) }
    }

    /// Reads a bare value.
    ///
    /// - Parameter type: The type; `nil` to infer it from the JSON.
    mutating func read(_ node: JSONNode, as type: FieldType?) throws(CabinetError) -> FieldValue? {
        if node.isNull { return nil }
        let known = if let type { Optional(type) } else { try inferredType(node) }
        guard let type = known else { return nil }
        guard type.isList else { return try readScalar(node, as: type.scalar) }
        var elements: [FieldValue] = []
        elements.reserveCapacity(node.count)
        guard node.kind == .array else { throw node.error(expected: "an array for \(CloudKitType.name(of: type))") }
        for element in node.elements { elements.append(try readScalar(element, as: type.scalar)) }
        guard let list = FieldList(elements, of: type.scalar) else {
            throw node.error(expected: "elements of one type")
        }
        return .list(list)
    }

    /// The type of a value by the form of the JSON; `nil` for an empty list.
    private func inferredType(_ node: JSONNode) throws(CabinetError) -> FieldType? {
        switch node.kind {
        case .text, .escapedText: return .string
        case .integer, .yes, .no: return .int64
        case .number: return .double
        case .object:
            if node.has("recordName") { return .reference }
            if node.has("latitude") { return .location }
            if node.has("fileChecksum") || node.has("receipt") { return .asset }
            throw node.error(expected: "a value with a type")
        case .array:
            var type: FieldType.Scalar?
            for element in node.elements {
                guard let next = try inferredType(element), !next.isList else {
                    throw element.error(expected: "an element that is neither null nor a list")
                }
                // A list of integers and fractions is one of fractions.
                let isNumber = [type, next.scalar].allSatisfy { $0 == .int64 || $0 == .double }
                type = isNumber && type != next.scalar && type != nil ? .double : next.scalar
            }
            return type.map(FieldType.list)
        case .null, .end: return nil
        }
    }

    private mutating func readScalar(_ node: JSONNode, as type: FieldType.Scalar) throws(CabinetError) -> FieldValue {
        switch type {
        case .string: return .string(try node.string())
        case .int64: return .int64(try integer(node))
        case .double:
            // JSON has no infinite numbers, so that they are texts.
            if node.kind == .text, let number = Double(try node.string()) { return .double(number) }
            return .double(try number(node, "a DOUBLE"))
        case .timestamp: return .timestamp(try date(node))
        case .bytes: return .bytes(try node.data())
        case .reference: return .reference(try reference(node))
        case .location: return .location(try location(node))
        case .asset: return .asset(Asset(try asset(node)))
        }
    }

    /// Reads a number of milliseconds; answers have whole ones of 64 bits.
    private func date(_ node: JSONNode) throws(CabinetError) -> Date {
        let number = try number(node, "a TIMESTAMP in milliseconds")
        // The greatest integer of 64 bits is this number as a double.
        guard number.magnitude <= 0x1p63 else { throw node.error(expected: "a TIMESTAMP of 64 bits") }
        return Date(milliseconds: number)
    }

    private func integer(_ node: JSONNode) throws(CabinetError) -> Int64 {
        switch node.kind {
        case .yes, .no: return try node.bool() ? 1 : 0
        case .text:
            guard let number = Int64(try node.string()) else { throw node.error(expected: "an INT64") }
            return number
        case .number:
            guard let number = Int64(exactly: try node.double()) else { throw node.error(expected: "an INT64") }
            return number
        default: return try node.int64()
        }
    }

    private func number(_ node: JSONNode, _ expected: String) throws(CabinetError) -> Double {
        if node.kind == .text, let number = Double(try node.string()), number.isFinite { return number }
        guard node.kind == .integer || node.kind == .number else { throw node.error(expected: expected) }
        return try node.double()
    }

    /// Reads a reference, also one that is only a record's name.
    private func reference(_ node: JSONNode) throws(CabinetError) -> Reference {
        if node.kind == .text || node.kind == .escapedText {
            return Reference(recordID: RecordID(recordName: try node.string(), zoneID: zoneID), action: .none)
        }
        let name = try node.required("recordName").string()
        let zoneID = try node["zoneID"].map { node throws(CabinetError) in try CloudKitZone.read(node) } ?? zoneID
        var action = Reference.Action.none
        if let text = node["action"] {
            switch try text.string() {
            case "NONE", "UNKNOWN": break
            case "DELETE_SELF": action = .deleteSelf
            case "VALIDATE": action = .deny
            default: throw text.error(expected: "NONE, DELETE_SELF or VALIDATE")
            }
        }
        return Reference(recordID: RecordID(recordName: name, zoneID: mapZone(zoneID)), action: action)
    }

    private func location(_ node: JSONNode) throws(CabinetError) -> Location {
        func component(_ key: StaticString) throws(CabinetError) -> Double? {
            try node[key].map { node throws(CabinetError) in try number(node, "a number") }
        }
        var location = Location(
            latitude: try number(try node.required("latitude"), "a number"),
            longitude: try number(try node.required("longitude"), "a number"))
        location.altitude = try component("altitude")
        location.horizontalAccuracy = try component("horizontalAccuracy")
        location.verticalAccuracy = try component("verticalAccuracy")
        location.course = try component("course")
        location.speed = try component("speed")
        location.timestamp = try node["timestamp"].map { node throws(CabinetError) in try date(node) }
        return location
    }

    /// Reads the checksum of an asset: of its bytes, or of another server's checksum.
    private func checksum(_ node: JSONNode) throws(CabinetError) -> Asset.Checksum {
        if let checksum = (try? node.data()).flatMap({ Asset.Checksum($0) }) { return checksum }
        guard readsAnswers else { throw node.error(expected: "the checksum of an asset of this server") }
        return Asset.Checksum(of: Data(try node.string().utf8))
    }

    /// Reads an asset that was uploaded, or one that the record has already.
    private mutating func asset(_ node: JSONNode) throws(CabinetError) -> StoredAsset {
        if let receipt = node["receipt"] {
            let found = try self.receipt(try receipt.string())
            if let size = node["size"], try size.int64() != found.asset.size {
                throw size.error(expected: "the size of the receipt's asset, \(found.asset.size)")
            }
            if let checksum = node["fileChecksum"], try self.checksum(checksum) != found.asset.checksum {
                throw checksum.error(expected: "the checksum of the receipt's asset")
            }
            if let upload = found.upload { uploads.append(upload) }
            return found.asset
        }
        let size = try node.required("size")
        let count = try size.int64()
        guard count >= 0 else { throw size.error(expected: "a number of bytes") }
        let asset = StoredAsset(checksum: try checksum(try node.required("fileChecksum")), size: count)
        if let url = try node["downloadURL"]?.string() { remember(url, asset, key) }
        return asset
    }
}
