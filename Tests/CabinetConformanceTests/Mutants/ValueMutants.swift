import Cabinet
import Foundation

extension Mutant {
    /// Backends that store another value than requested.
    static let values: [Mutant] = [
        mutant("normalises text", caughtBy: ["composed and decomposed letters are distinguished"]) { value in
            if case .string(let text) = value { .string(text.precomposedStringWithCanonicalMapping) } else { value }
        },
        mutant("ends text at a NUL", caughtBy: ["text keeps its NUL characters"]) { value in
            if case .string(let text) = value { .string(text.prefix { $0 != "\0" }.description) } else { value }
        },
        mutant("takes empty text for nil", caughtBy: ["empty text is a value, not nil"]) { value in
            if case .string(let text) = value, text.isEmpty { nil } else { value }
        },
        mutant("cuts long text off", caughtBy: ["a megabyte of text is stored"]) { value in
            if case .string(let text) = value { .string(String(text.prefix(65_535))) } else { value }
        },
        mutant(
            "keeps numbers as doubles", caughtBy: ["whole numbers keep all 64 bits", "numbers are ordered by value"]
        ) { value in
            if case .int64(let number) = value { .int64(Int64(exactly: Double(number)) ?? .max) } else { value }
        },
        mutant("keeps doubles as text of 15 digits", caughtBy: ["floating-point numbers keep every bit"]) { value in
            if case .double(let number) = value { .double(Double(String(format: "%.15g", number)) ?? 0) } else { value }
        },
        mutant("keeps whole doubles as integers", caughtBy: ["a floating-point number without a fraction stays one"]) {
            value in
            if case .double(let number) = value, let whole = Int64(exactly: number) { .int64(whole) } else { value }
        },
        mutant("cannot keep infinity", caughtBy: ["the infinities are stored"]) { value in
            if case .double(let number) = value, number.isInfinite { nil } else { value }
        },
        mutant("keeps dates in milliseconds", caughtBy: ["dates keep every bit", "dates compare by instant"]) { value in
            if case .timestamp(let date) = value {
                .timestamp(date.inMilliseconds)
            } else {
                value
            }
        },
        mutant("keeps dates as seconds since 1970", caughtBy: ["dates keep every bit"]) { value in
            if case .timestamp(let date) = value {
                .timestamp(Date(timeIntervalSince1970: date.timeIntervalSince1970))
            } else {
                value
            }
        },
        mutant("keeps the dates of locations in milliseconds", caughtBy: ["a stored record is read whole"]) { value in
            guard case .location(var place) = value else { return value }
            place.timestamp = place.timestamp?.inMilliseconds
            return .location(place)
        },
        mutant("keeps the dates of locations in lists in milliseconds", caughtBy: ["a stored record is read whole"]) {
            value in
            guard case .list(.location(var places)) = value else { return value }
            for index in places.indices { places[index].timestamp = places[index].timestamp?.inMilliseconds }
            return .list(.location(places))
        },
        mutant("replaces no-break spaces", caughtBy: ["text is stored scalar by scalar"]) { value in
            if case .string(let text) = value {
                .string(text.replacingOccurrences(of: "\u{A0}", with: " "))
            } else {
                value
            }
        },
        mutant("takes NULL in a list for none", caughtBy: ["text is stored scalar by scalar"]) { value in
            if case .list(.string(let texts)) = value { .list(.string(texts.filter { $0 != "NULL" })) } else { value }
        },
        mutant("takes empty data for nil", caughtBy: ["bytes are stored"]) { value in
            if case .bytes(let data) = value, data.isEmpty { nil } else { value }
        },
        mutant("keeps latitude and longitude alone", caughtBy: ["a location keeps all its components"]) {
            value in
            if case .location(let place) = value {
                .location(Location(latitude: place.latitude, longitude: place.longitude))
            } else {
                value
            }
        },
        mutant(
            "forgets the actions of references",
            caughtBy: [
                "a reference keeps its action", "nullify clears the field",
                "deny refuses the deletion and names the referring record",
                "a strict container refuses references with another action",
            ]
        ) { value in
            if case .reference(let reference) = value {
                .reference(Reference(recordID: reference.recordID, action: .none))
            } else {
                value
            }
        },
        mutant(
            "drops the order of lists",
            caughtBy: [
                "lists keep order and repetitions", "lists are equal element by element",
            ]
        ) { value in
            if case .list(.string(let texts)) = value { .list(.string(texts.sorted())) } else { value }
        },
        mutant(
            "keeps each element of a list once",
            caughtBy: [
                "lists of references keep order, repetitions and actions", "nullify removes the element from a list",
            ]
        ) { value in
            guard case .list(.reference(let references)) = value else { return value }
            var seen: Set<RecordID> = []
            return .list(.reference(references.filter { seen.insert($0.recordID).inserted }))
        },
        mutant("takes an empty list for nil", caughtBy: ["a list whose last element was removed is empty"]) { value in
            if case .list(let list) = value, list.count == 0 { nil } else { value }
        },
        mutant("forgets the type of an empty list", caughtBy: ["an empty list is a value with a type"]) { value in
            if case .list(let list) = value, list.count == 0 { .list(.string([])) } else { value }
        },
        mutant("cuts long lists off", caughtBy: ["a list of ten thousand elements is stored"]) { value in
            if case .list(.string(let texts)) = value { .list(.string(Array(texts.prefix(1000)))) } else { value }
        },
        mutant(
            "keeps ciphertexts as bytes",
            caughtBy: ["ciphertexts are stored byte by byte", "a save of other fields keeps a ciphertext"]
        ) { value in
            if case .encrypted(let value) = value { .bytes(value.ciphertext ?? Data()) } else { value }
        },
        Mutant(
            "forgets that a field is encrypted",
            caughtBy: [
                "an encrypted type is part of the schema", "an encrypted field holds no other values",
                "an applied schema encrypts no existing field", "an encrypted field has no index",
                "a filter reads no encrypted field", "a sort key is not an encrypted field",
                "no aggregate reads an encrypted field", "an encrypted field keeps its name",
                "a subscription reads no encrypted field",
            ]
        ) { $0.mapAdded { StoredField(name: $0.name, type: $0.type.decrypted ?? $0.type) } },
    ]

    /// A backend that replaces some values.
    private static func mutant(
        _ name: String, caughtBy rules: [String], _ transform: @escaping @Sendable (FieldValue) -> FieldValue?
    ) -> Mutant {
        Mutant(name, caughtBy: rules) { fault in
            fault.mapInserted { $0 = $0.mapValues(transform) }
            fault.mapUpdated { record, _ in record = record.mapValues(transform) }
        }
    }
}

extension Date {
    /// The date in whole milliseconds.
    var inMilliseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000) }
}
