import Cabinet
import Foundation

/// Generates operands: key paths, arithmetic, elements, distances.
extension RandomPlans {
    /// The references of a record, with which a path may begin.
    private static let references = [
        "r", "references", "parent", "recordID", "creatorUserRecordID", "lastModifiedUserRecordID",
    ]

    /// A path to a field that some of the types have, rarely of fields of several types.
    mutating func path(to keys: [Record.FieldKey], steps: Int = 3) -> Record.FieldKey {
        let lengths = Int.random(in: 1...steps, using: &random)
        let prefix = (0..<lengths).map { _ in
            chance(70) ? pick(["r", "references"]) : chance(95) ? pick(Self.references) : pick(["lr", "n", "unknown"])
        }
        return (prefix + [pick(keys)]).joined(separator: ".")
    }

    /// A path to a value in the JSON of a text.
    mutating func json(_ types: [String]) -> Record.FieldKey {
        let members = pick([
            "a", "a", "n", "n", "l.1", "l.2.n", "a.a", "t", "d", "0", "1", "2", "a~1b", "it's", "a.@string.a",
            "i\u{600}'s", "'\u{301}.\u{301}",
        ])
        let text =
            chance(80) ? pick(["s", "select"]) : chance(90) ? path(to: ["s"], steps: 2) : pick(["city", "n", "clash"])
        return chance(5) ? "\(text).\(pick(types))" : "\(text).\(pick(types)).\(members)"
    }

    mutating func textOperand() -> Filter.Expression {
        switch Int.random(in: 0..<12, using: &random) {
        case 10...11: .field(json(["@string", "@string", "@string", "@int64"]))
        case 0: .field(path(to: ["s", "select", "city", "clash"]))
        case 1: .element(.field(chance(80) ? "ls" : path(to: ["ls"])), index())
        case 2...3: .constant(.string(text()))
        default: .field(pick(["s", "select"]))
        }
    }

    mutating func numberOperand(depth: Int = 2) -> Filter.Expression {
        switch Int.random(in: 0..<15, using: &random) {
        case 13...14: .field(json(["@int64", "@int64", "@double", "@double", "@timestamp"]))
        case 12 where depth > 0: referring()
        case 0...2 where depth > 0:
            .arithmetic(
                numberOperand(depth: depth - 1), pick(Filter.Arithmetic.allCases), numberOperand(depth: depth - 1))
        case 3 where depth > 0: .negative(numberOperand(depth: depth - 1))
        case 4: .field(path(to: ["n", "index", "d", "D", "clash"]))
        case 5: .element(.field(pick(["ln", "ld", "r.ln"])), index())
        case 6: chance(50) ? .element(.field(anyList()), .size) : .field(anyList() + ".@count")
        case 7: .distance(locationOperand(), locationOperand())
        case 8...9: .constant(chance(50) ? .int64(integer()) : .double(fraction()))
        default: .field(pick(["n", "index", "d", "D"]))
        }
    }

    /// The number of the records that refer to a record.
    mutating func referring() -> Filter.Expression {
        .referring(
            pick(["Things", "Things", "Things", "json_each", "things", "Nothings"]),
            by: pick(["r", "r", "references", "parent", "lr", "unknown"]),
            where: chance(40) ? .constant(true) : filter(depth: 1))
    }

    private mutating func anyList() -> Record.FieldKey {
        pick(["ls", "ln", "ld", "lr", "lw", "r.ls", "references.r.lr"])
    }

    private mutating func locationOperand() -> Filter.Expression {
        chance(50)
            ? .field(chance(80) ? "place" : path(to: ["place"])) : .constant(chance(95) ? .location(location()) : nil)
    }

    private mutating func index() -> Filter.Index {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .first
        case 1: .last
        case 2: .at(.field(pick(["n", "index"])))
        default: .at(.constant(.int64(pick([0, 1, 2, -1, 7, .max]))))
        }
    }

    /// A comparison of values that are computed from fields.
    mutating func computedComparison() -> Filter.Comparison {
        switch Int.random(in: 0..<12, using: &random) {
        case 10...11:
            let (operation, key) = pick([("@string", "s"), ("@int64", "n"), ("@double", "d"), ("@timestamp", "when")])
            let `operator` = pick([
                Filter.Operator.equal, .equal, .notEqual, .lessThan, .greaterThanOrEqual, .between, .in,
            ])
            let constant = Filter.Expression.constant(constant(for: key))
            let other = Filter.Expression.constant(self.constant(for: key))
            return Filter.Comparison(
                .field(json([operation])), `operator`,
                `operator` == .between || `operator` == .in ? .list([constant, other]) : constant, options: options())
        case 9:
            let `operator` = pick([
                Filter.Operator.equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThanOrEqual, .greaterThan,
            ])
            let number: FieldValue = chance(80) ? .int64(pick([0, 0, 1, 2])) : .double(pick([0, 0.5, 1, 1.5]))
            return Filter.Comparison(referring(), `operator`, .constant(number))
        case 0...2:
            let `operator` = pick([Filter.Operator.equal, .notEqual, .lessThan, .greaterThanOrEqual, .greaterThan])
            return Filter.Comparison(numberOperand(), `operator`, numberOperand())
        case 3:
            let bounds: [Filter.Expression] = [numberOperand(depth: 1), numberOperand(depth: 1)]
            return Filter.Comparison(numberOperand(), pick([.between, .in]), .list(bounds))
        case 4...5:
            let `operator` = pick([
                Filter.Operator.equal, .notEqual, .lessThan, .contains, .in, .beginsWith, .endsWith, .like,
                .tokenMatches, .search,
            ])
            return Filter.Comparison(textOperand(), `operator`, textOperand(), options: options())
        case 6:
            // The purpose of paths: the target has a value.
            let key = pick(["s", "n", "d", "when", "r", "city", "clash", "b"])
            let constant = Filter.Expression.constant(constant(for: key == "city" ? "s" : key == "clash" ? "n" : key))
            let `operator` = pick([Filter.Operator.equal, .equal, .notEqual, .greaterThan, .lessThanOrEqual])
            return Filter.Comparison(
                .field(path(to: [key])), key == "r" && `operator` != .notEqual ? .equal : `operator`, constant,
                options: options())
        case 7:
            let list = pick([("ls", "s"), ("ln", "n"), ("lr", "r"), ("ld", "d"), ("r.ls", "s"), ("references.lr", "r")])
            return chance(50)
                ? Filter.Comparison(.field(list.0), .contains, .constant(constant(for: list.1)), options: options())
                : Filter.Comparison(.field(list.1), .in, .field(list.0), options: options())
        default:
            return chance(50)
                ? search()
                : Filter.Comparison(.searchableText, .tokenMatches, .constant(.string(chance(50) ? text() : words())))
        }
    }

    private mutating func words() -> String { times(1...3) { $0.text() }.joined(separator: " ") }

    /// A search as people write it, in one field or in all of them.
    mutating func search() -> Filter.Comparison {
        var words = times(1...3) { $0.chance(25) ? "\"\($0.words())\"" : $0.text() }.joined(separator: " ")
        if chance(40) { words += " " }
        let left: Filter.Expression = chance(60) ? .searchableText : .field(chance(80) ? pick(["s", "select"]) : "r.s")
        return Filter.Comparison(left, .search, .constant(chance(97) ? .string(words) : nil))
    }

    // MARK: Orders

    mutating func sort() -> Sort {
        let sortable =
            Self.fields.filter { !$0.value.isList && $0.value != .location }.keys.sorted() + Self.systemKeys + [
                "unknown"
            ]
        switch Int.random(in: 0..<10, using: &random) {
        case 9:
            let options: Sort.Options = chance(20) ? .caseInsensitive : []
            return Sort(json(["@string", "@int64", "@double", "@timestamp"]), ascending: chance(50), options: options)
        case 8 where chance(50): return Sort(Sort.relevance.key, ascending: chance(30))
        case 8: return Sort(referring().description, ascending: chance(50))
        case 0: return Sort("place", distanceFrom: location(), ascending: chance(50))
        case 1...2:
            let options = pick([
                Sort.Options.caseInsensitive, .diacriticInsensitive, .numeric, [.caseInsensitive, .numeric],
                [.caseInsensitive, .diacriticInsensitive, .numeric],
            ])
            return Sort(pick(["s", "select", "r.s", "n"]), ascending: chance(50), options: options)
        case 3: return Sort(path(to: sortable, steps: 2), ascending: chance(50))
        default: return Sort(pick(sortable), ascending: chance(50))
        }
    }
}
