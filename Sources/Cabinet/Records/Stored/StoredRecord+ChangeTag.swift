import Foundation

extension StoredRecord {
    /// The change tag that clients see: the sequence number and a hash of the save's date and user, both in base 36.
    ///
    /// A number alone would be the same in another database, and in another life of this one. The hash is stable: a copy of the
    /// record in another store has the same tag.
    var changeTag: String {
        var hash = FNV1a()
        hash.combine(modificationDate.timeIntervalSinceReferenceDate.bitPattern)
        lastModifierName.withScalars { hash.combine($0) }
        return String(sequenceNumber, radix: 36) + "-" + String(hash.value, radix: 36)
    }

    /// Returns the sequence number in a change tag of a store of Cabinet; `nil` for a tag of another service.
    static func sequenceNumber(inChangeTag tag: String) -> Int64? {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 ? Int64(parts[0], radix: 36) : nil
    }

    /// Whether both records have the same change tag, compared without creating its text.
    func hasSameChangeTag(as other: StoredRecord) -> Bool {
        sequenceNumber == other.sequenceNumber
            && modificationDate.timeIntervalSinceReferenceDate.bitPattern
                == other.modificationDate.timeIntervalSinceReferenceDate.bitPattern
            && lastModifierName.hasSameScalars(as: other.lastModifierName)
    }
}

/// The 64-bit hash FNV-1a, which gives the same value in every process.
private struct FNV1a {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func combine(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            combine(CollectionOfOne(UInt8(truncatingIfNeeded: number >> shift)))
        }
    }
}
