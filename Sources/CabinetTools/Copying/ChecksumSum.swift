import Cabinet
import Foundation

/// A sum of checksums, which does not depend on the order of its parts.
struct ChecksumSum: Hashable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Adds a part of a database.
    ///
    /// - Parameters:
    ///   - kind: The kind of the part, which distinguishes parts with equal bytes.
    ///   - body: Adds its bytes.
    mutating func add(_ kind: String, _ body: (inout CanonicalBytes) throws -> Void) rethrows {
        var part = CanonicalBytes()
        part.add(kind)
        try body(&part)
        add(part.bytes)
    }

    private mutating func add(_ part: [UInt8]) {
        var rest = Asset.Checksum(of: Data(part)).bytes[...]
        func word() -> UInt64 {
            defer { rest = rest.dropFirst(8) }
            return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (words.0 &+ word(), words.1 &+ word(), words.2 &+ word(), words.3 &+ word())
    }

    /// The checksum of the sum.
    var checksum: Asset.Checksum {
        var bytes = CanonicalBytes()
        for word in [words.0, words.1, words.2, words.3] { bytes.add(Int64(bitPattern: word)) }
        return Asset.Checksum(of: Data(bytes.bytes))
    }

    static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension ChecksumSum {
    mutating func add(_ schema: StoredSchema) {
        for (recordType, fields) in schema.recordTypes {
            add("type") { $0.add(recordType) }
            for (key, type) in fields {
                add("field") { part in
                    part.add(recordType)
                    part.add(key)
                    part.add(type.description)
                }
            }
        }
        for (recordType, indexes) in schema.indexes {
            for index in indexes {
                add("index") { part in
                    part.add(recordType)
                    let (kind, keys): (String, [Record.FieldKey]) =
                        switch index {
                        case .queryable(let key): ("queryable", [key])
                        case .sortable(let key): ("sortable", [key])
                        case .searchable(let key): ("searchable", [key])
                        case .compound(let keys): ("compound", keys)
                        }
                    part.add(kind)
                    for key in keys { part.add(key) }
                }
            }
        }
    }

    /// Adds the entries of roles, grants and unique values.
    mutating func add(_ rules: SchemaRules) throws {
        for case .setEntry(let key, let text?) in rules.mutations(replacing: try SchemaRules([])) {
            add("rules") { part in
                part.add(key.text)
                part.add(text)
            }
        }
    }

    mutating func add(_ zone: StoredZone) {
        add("zone") { part in
            part.add(zone.zoneID)
            part.add(zone.creatorName)
            part.add(zone.creationNumber)
        }
    }
}
