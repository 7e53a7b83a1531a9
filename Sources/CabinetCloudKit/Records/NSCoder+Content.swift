import Cabinet
import Foundation

extension Record {
    /// The record as it can be archived: the fields whose values were not encrypted yet are as they were fetched.
    var withoutUnencryptedValues: Record {
        func isUnencrypted(_ value: FieldValue?) -> Bool {
            if case .encrypted(let value)? = value { value.ciphertext == nil } else { false }
        }
        guard fields.values.contains(where: isUnencrypted) else { return self }
        // A name without a value would remove a value of the server that was never fetched.
        let known = fields.names.names.compactMap { key -> (key: FieldKey, value: FieldValue?)? in
            guard isUnencrypted(fields[key]) else { return (key, fields[key]) }
            return fetched?.fields[key].map { (key, $0) }
        }
        let archived = FieldValues(
            names: .known(known.map { $0.key }), values: known.map { $0.value }, isComplete: fields.isComplete)
        return Record(header: header, fields: archived, fetched: fetched)
    }

    /// The record as the system fields of a share are archived: with the fields that the members of a share read, and no others.
    var withMembersOfShare: Record {
        let known = fetched?.fields ?? fields
        let keys = Share.SystemFieldKey.ofMembers.sorted().filter(known.knows)
        let members = FieldValues(
            names: .known(keys), values: keys.map { known[$0] }, isComplete: fetched == nil)
        return Record(header: header, fields: members, fetched: fetched.map { Fetched(members, $0.parent) })
    }
}

extension NSCoder {
    /// The key of the archived content of every class of this module.
    private static let contentKey = "Cabinet"

    /// Writes a value, as JSON, which ``decodeContent()`` reads.
    func encodeContent(_ value: some Encodable, forKey key: String? = nil) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Older versions of Foundation encode arrays and dictionaries alone, so the value is in an array.
        guard let data = try? encoder.encode([value]) else { return }
        encode(data as NSData, forKey: key ?? Self.contentKey)
    }

    /// Reads a value that ``encodeContent(_:forKey:)`` wrote, or returns `nil`.
    func decodeContent<Value: Decodable>(forKey key: String? = nil) -> Value? {
        guard let data = data(forKey: key ?? Self.contentKey) else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        decoder.decodesAssetFiles = true
        return (try? decoder.decode([Value].self, from: data as Data))?.first
    }

    /// Reads bytes, or returns `nil`.
    ///
    /// Foundation on Linux ends the program if the key is missing and the coder's policy is to raise an exception.
    func data(forKey key: String) -> Data? {
        containsValue(forKey: key) ? decodeObject(of: NSData.self, forKey: key) as Data? : nil
    }
}
