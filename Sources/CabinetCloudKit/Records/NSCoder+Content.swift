import Cabinet
import Foundation

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
