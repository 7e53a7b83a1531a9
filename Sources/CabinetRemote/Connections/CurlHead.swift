#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// The lines of a response's head, as they arrive.
struct CurlHead {
    private(set) var lines: [(name: String, value: String)] = []
    private(set) var isComplete = false
    private var size = 0

    /// The greatest number of bytes of a head.
    static let maximumSize = 65_536

    /// Takes a line with its end; the first one has the status, and the last one is empty.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        size += bytes.count
        guard size <= Self.maximumSize else { throw URLError(.badServerResponse) }
        let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        isComplete = line.isEmpty
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let value = String(decoding: line[line.index(after: colon)...], as: UTF8.self)
        lines.append((String(decoding: line[..<colon], as: UTF8.self), value.trimmingCharacters(in: .whitespaces)))
    }
}
#endif
