import Foundation

/// The constants of an IN, in sets whose equality is that of the language.
struct FilterValueSet: Sendable {
    private var texts: Set<ScalarText> = []
    private var wholeNumbers: Set<Int64> = []
    /// Numbers that no `Int64` equals.
    private var otherNumbers: Set<Double> = []
    private var dates: Set<Date> = []
    private var references: Set<RecordID> = []
    /// Bytes, locations and lists, which are rare in such a list.
    private var others: [FilterValue] = []

    init(_ elements: [FilterValue]) {
        for element in elements {
            switch element {
            case .single(.string(let text)): texts.insert(ScalarText(text: text))
            case .single(.int64(let number)): wholeNumbers.insert(number)
            case .single(.double(let number)):
                if let whole = Int64(exactly: number) {
                    wholeNumbers.insert(whole)
                } else {
                    otherNumbers.insert(number)
                }
            case .single(.timestamp(let date)): dates.insert(date)
            case .single(.reference(let reference)): references.insert(reference.recordID)
            case .single, .list: others.append(element)
            // A left side of nil is in no list.
            case .nothing: break
            }
        }
    }

    func contains(_ value: FilterValue) throws -> Bool {
        switch value {
        case .nothing: false
        case .single(let value): try contains(value)
        case .list: try othersContain(value)
        }
    }

    func contains(_ value: FieldValue) throws -> Bool {
        switch value {
        case .string(let text): texts.contains(ScalarText(text: text))
        case .int64(let number): wholeNumbers.contains(number)
        case .double(let number): Int64(exactly: number).map(wholeNumbers.contains) ?? otherNumbers.contains(number)
        case .timestamp(let date): dates.contains(date)
        case .reference(let reference): references.contains(reference.recordID)
        case .bytes, .location, .asset, .list, .encrypted: try othersContain(.single(value))
        }
    }

    private func othersContain(_ value: FilterValue) throws -> Bool {
        try WorkMeter.spend(others.count)
        return others.contains { $0.isEqual(to: value) }
    }
}
