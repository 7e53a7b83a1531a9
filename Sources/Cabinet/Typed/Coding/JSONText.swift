import Foundation

/// The JSON of a value, with its keys sorted.
struct JSONText {
    let text: String

    /// Encodes a value; `nil` if JSON cannot express it.
    init?(of value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return nil }
        text = String(decoding: data, as: UTF8.self)
    }

    /// Returns the value that JSON expresses.
    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
