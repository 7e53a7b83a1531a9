import Cabinet
import Foundation

/// A scan of a JSON text for objects that have a key twice.
///
/// A decoder keeps one of the two.
struct JSONKeys {
    /// The first key that an object has twice.
    private(set) var duplicate: String?

    /// Scans a valid JSON text.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        var open: [Set<String>] = []
        var index = 0
        while index < bytes.count, duplicate == nil {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): open.append([])
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: "\""):
                let start = index
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                let next = bytes[min(index + 1, bytes.count)...].first { !" \n\r\t".utf8.contains($0) }
                let text = Data(bytes[start...min(index, bytes.count - 1)])
                // Two spellings of one key, such as with an escaped letter, are the same key.
                if next == UInt8(ascii: ":"), let key = try? JSONDecoder().decode(String.self, from: text),
                    !open.isEmpty,
                    !open[open.count - 1].insert(key).inserted
                {
                    duplicate = key
                }
            default: break
            }
            index += 1
        }
    }
}
