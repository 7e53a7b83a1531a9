package import Cabinet
package import CabinetTesting
import Foundation

/// Generates records, filters and plans whose values often coincide.
///
/// Some fields and types have names that are keywords of SQL, or differ from others in case alone.
package struct RandomPlans {
    package var random: SeededGenerator

    package init(random: SeededGenerator) { self.random = random }

    static let fields: [Record.FieldKey: FieldType] = [
        "s": .string, "select": .string, "n": .int64, "index": .int64, "d": .double, "D": .double, "when": .timestamp,
        "b": .bytes,
        "r": .reference, "references": .reference, "place": .location, "ls": .list(of: .string),
        "ln": .list(of: .int64),
        "ld": .list(of: .double), "lr": .list(of: .reference), "lw": .list(of: .timestamp),
    ]
    /// The fields that only some types have; `clash` has different types in both.
    static let otherFields: [Record.RecordType: [Record.FieldKey: FieldType]] = [
        "Things": [:], "json_each": ["clash": .string], "things": ["clash": .int64, "city": .string],
    ]
    /// Paths into the JSON of texts; each has a hidden field, which some of the indexes cover.
    static let indexedPaths = [
        "s.@string.a", "s.@int64.n", "s.@double.n", "s.@timestamp.d", "s.@string.a.@string.a", "select.@string.a",
        "select.@int64.n", "select.@double.l.1", "s.@string",
    ].compactMap { IndexedPath($0) }
    static let schema = StoredSchema(
        recordTypes: otherFields.mapValues { other in
            let hidden = indexedPaths.map { ($0.hiddenKey, $0.type) }
            return fields.merging(other) { known, _ in known }.merging(hidden) { known, _ in known }
        })
    static let zones = [
        RecordZone.ID.default, RecordZone.ID(zoneName: "Z"), RecordZone.ID(zoneName: "A"),
        RecordZone.ID(zoneName: "A", ownerName: "_friend"),
    ]
    static let systemKeys = SystemField.allCases.map(\.rawValue)

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func times<Element>(_ range: ClosedRange<Int>, _ make: (inout Self) -> Element) -> [Element] {
        (0..<Int.random(in: range, using: &random)).map { _ in make(&self) }
    }

    // MARK: Values

    mutating func text() -> String {
        if chance(20) { return pick(Self.texts) + pick(Self.texts) }
        if chance(12) { return pick(Self.documents) }
        // Longer than the texts that a store keeps in an index, or searches by itself.
        if chance(6) { return String(repeating: "x", count: pick([198, 199, 200, 201, 1500])) + pick(Self.texts) }
        return pick(Self.texts)
    }

    /// Texts of all scripts, composed and decomposed, with and without case, with digits and with NUL.
    private static let texts = [
        "", "a", "b", "ab", "aba", "a\0b", "\0", "\u{1}", "\u{2}", "\u{3}b", "é", "e\u{301}", "A", "E", "É",
        "\u{10FFFF}", "\u{10FFFF}a",
        "\u{D7FF}", "🛒",
        "b%", "_", "ß", "SS", "ẞ", "é\0", "İ", "ı", "i", "I", "Σ", "σ", "ς", "が", "か", "か\u{3099}", "й", "и\u{306}",
        "И",
        "ﬁ", "FI", "ŉ", "ǆ", "ǅ", "ᾳ", "αι", "한", "\u{1112}\u{1161}\u{11AB}", "क़", "a\u{323}\u{307}", "a\u{307}\u{323}",
        "٣",
        "file 9", "file 10", "file 09", "File 9", "9", "10", "Ꭰ", "ꭰ", "\"", "\\", "a b", "\u{345}", "Ω", "\u{2126}",
        "ø", "Å", "a*", "*b", "?", "*\u{301}*", "'\u{301}", "\u{600}'",
    ]

    /// JSON, and text that is nearly JSON.
    private static let documents = [
        #"{"a":"é","l":[1,"b",{"n":0.5}],"n":1,"t":true}"#, #"{"a":"ab","n":9007199254740993,"t":false}"#,
        #" { "n" : 3e0, "a" : "\u00C9", "a":"a" } "#, #"{"a":"a\u0000b","d":1e9,"n":-1}"#, #"[1,2.0,"x"]"#, #""a""#,
        #"{"a":{"a":"b","n":[]},"n":"1"}"#, #"{"a":null,"n":9223372036854775807}"#, #"{"a":"\ud83d","n":1e400}"#,
        #"{"a":"\uD83D\uDED2\/\"","n":-0.0}"#, #"{"a":"b","n":1"#, #"{"a":"b","n":01}"#, #"{"a":"b","n":2,}"#, "7",
        "null",
        #"{"a.b":1,"it's":"a","n":9223372036854775808}"#,
    ]

    /// Patterns of LIKE and MATCHES.
    mutating func pattern() -> String {
        pick([
            "*", "", "a*", "*b", "*b*", "?", "a?", "*?b", "**", "*a*b", "ab", "*\0*", "*\0b", "%", "_*", "e?",
            "\u{10FFFF}*", ".*", "[a-b]+", "a|ab", ".", "\\w*", "*é", "*\0",
        ])
    }
    mutating func integer() -> Int64 {
        pick([0, 1, 2, -1, 3, 7, .max, .min, .max - 1, 1 << 53, (1 << 53) + 1, 1 << 62])
    }
    mutating func fraction() -> Double {
        pick([
            0, -0.0, 1, 2, -1, 0.5, 0.1, 3, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, 9_007_199_254_740_992,
            9.3e18,
            9_223_372_036_854_775_808, .greatestFiniteMagnitude,
        ])
    }
    mutating func date() -> Date { Date(timeIntervalSinceReferenceDate: pick([0, 1, -1, 0.5, 1e9])) }
    mutating func bytes() -> Data {
        if chance(6) {
            return Data(repeating: 7, count: pick([799, 800, 801])) + pick([Data(), Data([0]), Data([9])])
        }
        return pick([Data(), Data([0]), Data([0, 1]), Data([255]), Data("a".utf8)])
    }
    mutating func name() -> String { pick(["x0", "x1", "x2", "_user", "x3", "x4", "x5", "gone"]) }
    mutating func reference(in zone: RecordZone.ID) -> Reference {
        Reference(recordID: RecordID(recordName: name(), zoneID: zone), action: pick(Reference.Action.allCases))
    }
    mutating func location() -> Location {
        Location(latitude: pick([0, 1, -90, 52.52]), longitude: pick([2, 180, -180, 13.405]))
    }

    package mutating func value(_ type: FieldType, in zone: RecordZone.ID) -> FieldValue {
        switch (type.scalar, type.isList) {
        case (.string, false): .string(text())
        case (.int64, false): .int64(integer())
        case (.double, false): .double(fraction())
        case (.timestamp, false): .timestamp(date())
        case (.bytes, false): .bytes(bytes())
        case (.reference, false): .reference(reference(in: zone))
        case (.location, false): .location(location())
        case (.asset, false): Self.asset ?? .int64(0)
        case (.string, true): .list(.string(times(0...3) { $0.text() }))
        case (.int64, true): .list(.int64(times(0...3) { $0.integer() }))
        case (.double, true): .list(.double(times(0...3) { $0.fraction() }))
        case (.timestamp, true): .list(.timestamp(times(0...3) { $0.date() }))
        case (.bytes, true): .list(.bytes(times(0...3) { $0.bytes() }))
        case (.reference, true): .list(.reference(times(0...3) { $0.reference(in: zone) }))
        case (.location, true): .list(.location(times(0...3) { $0.location() }))
        case (.asset, true): .list(.asset([]))
        }
    }

    private static let asset: FieldValue? = Asset.Checksum(Array(repeating: 7, count: 32)).map {
        .asset(Asset(StoredAsset(checksum: $0, size: 7)))
    }

    /// Records of three types, numbered from 1; most names are those of records in several zones.
    mutating func records(_ count: Int) -> [StoredRecord] {
        var seen: Set<RecordID> = []
        return (1...count).map { number in
            let type = number % 10 == 0 ? "json_each" : number % 10 == 5 ? "things" : "Things"
            var record = record("x\(number % (count / 2))", type: type)
            record.sequenceNumber = Int64(number)
            record.insertionNumber = Int64(number)
            return record
        }
        .filter { seen.insert($0.recordID).inserted }
    }

    private mutating func record(_ name: String, type: String) -> StoredRecord {
        let zone = pick(Self.zones)
        var record = StoredRecord.sample(name, type: type, in: zone)
        let fields = Self.schema.recordTypes[type] ?? [:]
        let paths = Set(Self.indexedPaths.map(\.hiddenKey))
        for (key, type) in fields.sorted(by: { $0.key < $1.key }) where !paths.contains(key) && chance(75) {
            record.fields[key] = value(type, in: zone)
        }
        for path in Self.indexedPaths { record.fields[path.hiddenKey] = (try? path.value(in: record.fields)) ?? nil }
        record.creationDate = date()
        record.modificationDate = date()
        record.creatorName = userName()
        record.lastModifierName = userName()
        if chance(50) { record.parentName = self.name() }
        return record
    }

    private mutating func userName() -> String { pick(["_user", "x1", "_other"]) }

    /// Any indexes that all types can have.
    mutating func indexes() -> Set<StoredIndex> {
        var indexes: Set<StoredIndex> = []
        let sortable = Self.fields.filter { !$0.value.isList && $0.value != .location }.keys.sorted()
        for key in Self.fields.keys.sorted() + Self.systemKeys {
            if chance(40) { indexes.insert(.queryable(key)) }
            if sortable.contains(key), chance(40) { indexes.insert(.sortable(key)) }
            if Self.fields[key] == .string, chance(40) { indexes.insert(.searchable(key)) }
        }
        for _ in 0..<5 {
            let keys = [pick(sortable), pick(sortable + Self.systemKeys)]
            // The core refuses a repeated key, which has no meaning.
            if keys[0] != keys[1] { indexes.insert(.compound(keys)) }
        }
        for path in Self.indexedPaths where chance(60) {
            indexes.insert(.compound(chance(60) ? [path.hiddenKey] : [path.hiddenKey, pick(sortable)]))
        }
        return indexes
    }

    // MARK: Filters

    mutating func filter(depth: Int = 3) -> Filter {
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where depth > 0: .not(filter(depth: depth - 1))
        case 1...2 where depth > 0: .and(times(0...3) { $0.filter(depth: depth - 1) })
        case 3...4 where depth > 0: .or(times(0...3) { $0.filter(depth: depth - 1) })
        case 5 where chance(20): .constant(chance(50))
        default: .comparison(comparison())
        }
    }

    /// A filter with a search that a record may match.
    private mutating func searchingFilter() -> Filter {
        let search = Filter.comparison(search())
        return chance(50) ? search : chance(60) ? .and([filter(depth: 1), search]) : .or([search, filter(depth: 1)])
    }

    mutating func key() -> Record.FieldKey {
        chance(15) ? pick(Self.systemKeys) : chance(5) ? "unknown" : pick(Self.fields.keys.sorted())
    }

    /// A value of a type that the key's field has, or, rarely, of another.
    mutating func constant(for key: Record.FieldKey) -> FieldValue? {
        if chance(6) { return nil }
        let type = SystemField(rawValue: key)?.fieldType ?? Self.fields[key] ?? .string
        let other = chance(10) ? pick(Array(Self.fields.values.sorted { $0.description < $1.description })) : type
        if other.scalar == .int64, chance(30) { return value(FieldType(.double, isList: other.isList), in: .default) }
        if other.scalar == .double, chance(30) { return value(FieldType(.int64, isList: other.isList), in: .default) }
        return value(other, in: pick(Self.zones))
    }

    mutating func comparison() -> Filter.Comparison {
        if chance(12) { return quantified() }
        if chance(40) { return computedComparison() }
        var comparison = plainComparison()
        comparison.options = chance(50) ? [] : options()
        return comparison
    }

    private mutating func plainComparison() -> Filter.Comparison {
        let key = key()
        let left = Filter.Expression.field(key)
        let `operator` = pick(Filter.Operator.allCases)
        let isTextual = chance(50) && [.contains, .in].contains(`operator`)
        var right: Filter.Expression
        switch `operator` {
        case .between:
            right = .list([
                .constant(constant(for: key)), chance(10) ? .field(self.key()) : .constant(constant(for: key)),
            ])
        case .in where !isTextual:
            right = .list(times(0...5) { $0.chance(5) ? .field($0.key()) : .constant($0.constant(for: key)) })
        case .contains where !isTextual:
            let elementKey = pick(["s", "n", "d", "r"])
            return Filter.Comparison(
                .field(pick(["ls", "ln", "ld", "lr"])), .contains, .constant(constant(for: elementKey)))
        case .in, .contains, .beginsWith, .endsWith, .like, .matches:
            let isPattern = [.like, .matches].contains(`operator`)
            let operands: [Filter.Expression] = [
                .field(pick(["s", "select"])),
                chance(70)
                    ? .constant(.string(isPattern && chance(90) ? pattern() : text())) : .field(pick(["s", "select"])),
            ]
            return chance(70)
                ? Filter.Comparison(operands[0], `operator`, operands[1])
                : Filter.Comparison(operands[1], `operator`, operands[0])
        default:
            right = chance(20) ? .field(chance(60) ? sameKind(as: key) : self.key()) : .constant(constant(for: key))
        }
        if chance(10) { return Filter.Comparison(right, `operator`, left) }
        return Filter.Comparison(left, `operator`, right)
    }

    /// A comparison of the elements of a list, rarely of another field.
    mutating func quantified() -> Filter.Comparison {
        let (list, element) = pick([("ls", "s"), ("ln", "n"), ("ld", "d"), ("lr", "r"), (key(), "s")])
        let quantifier = pick(Filter.Quantifier.allCases)
        let left = Filter.Expression.field(list)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let bounds: [Filter.Expression] = [.constant(constant(for: element)), .constant(constant(for: element))]
            return Filter.Comparison(left, pick([.between, .in]), .list(bounds), quantifier: quantifier)
        case 1:
            let `operator` = pick([Filter.Operator.beginsWith, .endsWith, .like, .contains])
            return Filter.Comparison(
                .field("ls"), `operator`, .constant(.string(chance(50) ? text() : pattern())), options: options(),
                quantifier: quantifier)
        case 2: return Filter.Comparison(left, .equal, .field(sameKind(as: element)), quantifier: quantifier)
        default:
            let `operator` = pick([Filter.Operator.equal, .notEqual, .lessThan, .greaterThanOrEqual])
            return Filter.Comparison(
                left, `operator`, .constant(constant(for: element)), options: options(), quantifier: quantifier)
        }
    }

    mutating func options() -> Filter.Options {
        chance(60) ? [] : pick([.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]])
    }

    private mutating func sameKind(as key: Record.FieldKey) -> Record.FieldKey {
        let groups = [
            ["s", "select"], ["n", "index", "d", "D"], ["when", "creationDate", "modificationDate"],
            ["r", "references", "recordID", "parent", "creatorUserRecordID", "lastModifiedUserRecordID"],
        ]
        return pick(groups.first { $0.contains(key) } ?? [key])
    }

    // MARK: Plans

    mutating func plan(in schema: StoredSchema) -> QueryPlan {
        // A random plan is seldom invalid.
        while true {
            let order = times(0...3) { $0.sort() }
            // An order by relevance needs a search.
            let isRanked = order.contains(where: \.isByRelevance)
            let plan = try? QueryPlan(
                recordType: chance(97) ? "Things" : "Nothings",
                zoneID: chance(50) ? nil : pick(Self.zones + [.init(zoneName: "None")]),
                filter: isRanked ? searchingFilter() : filter(), order: order,
                limit: chance(60) ? Int.random(in: 1...12, using: &random) : .max,
                keys: chance(30) ? times(0...4) { $0.pick(Self.fields.keys.sorted() + ["unknown"]) } : nil,
                fields: chance(95)
                    ? FieldTypes(of: "Things", in: schema) : FieldTypes(schema.recordTypes["Things"] ?? [:]))
            if let plan { return plan }
        }
    }

    /// A position in a plan's order: after a record, which may be in another zone, or of another type; rarely one that
    /// no record has.
    mutating func position(in plan: QueryPlan, over records: [StoredRecord]) -> QueryPosition? {
        guard chance(60), let record = records.randomElement(using: &random) else { return nil }
        var position = try? plan.continued(after: record, resolving: plan.resolver(over: records)).position
        if chance(20) { position?.insertionNumber = .random(in: -1...Int64(records.count) + 2, using: &random) }
        for (index, sort) in plan.order.enumerated() where chance(10) {
            position?.values[index] = madeUpValue(of: sort)
        }
        return position
    }

    private mutating func madeUpValue(of sort: Sort) -> FieldValue? {
        if (try? sort.counted()) != nil { return .int64(integer()) }
        if sort.origin != nil { return chance(90) ? .double(fraction()) : .int64(integer()) }
        return sort.isByRelevance ? .int64(.random(in: 0...20_000, using: &random)) : constant(for: sort.key)
    }
}
