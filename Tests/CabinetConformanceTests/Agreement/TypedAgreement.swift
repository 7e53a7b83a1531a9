import Cabinet
import CabinetConformance
import CabinetTesting
import Foundation

/// Compares typed queries with untyped ones: both find the same records, in the same order.
///
/// Random filters are built twice, with the operators on declared fields and as a text of the filter language.
enum TypedAgreement {
    enum Kind: String, RecordValue, CaseIterable { case food, drink, other }

    struct Groups: RecordFields {
        static let recordType = "Groups"
        let name = Field<String>("name")
        let size = Field<Int?>("size")
    }

    struct Things: RecordFields {
        static let recordType = "Things"
        let name = Field<String?>("name", index: .sortable)
        let n = Field<Int?>("n")
        let d = Field<Double?>("d")
        let day = Field<Date?>("day")
        let done = Field<Bool?>("done")
        let kind = Field<Kind?>("kind")
        let sizes = Field<[Int]>("sizes")
        let place = Field<Location?>("place")
        let group = Link<Groups>("group")
        let groups = Links<Groups>("groups")
    }

    /// A filter in both styles.
    private struct Pair {
        let typed: (Things) -> Filter
        let text: String
        var arguments: [any FilterArgument] = []
    }

    private static let filtersPerSeed = 150

    /// A rule that runs the filters of a seed.
    static func rule(seed: UInt64) -> ConformanceRule {
        ConformanceRule(
            .filters, "typed queries agree with untyped ones (seed \(seed))", law: "Both find the same records.",
            source: .cabinet("RecordFields")
        ) { world in
            var random = SeededGenerator(seed: seed)
            let container = try Container(identifier: "com.example.typed-agreement", backend: world.backend)
            let database = container.privateDatabase
            let things = database.table(Things.self)
            let groups = try await fill(database, &random)
            let orders: [((Things) -> any TypedOrder, [Sort])] = [
                (\.name, ["name"]), (\.n.descending, [.descending("n")]),
                ({ [$0.group.to.name.ascending] }, ["group.name"]),
                (\.kind, ["kind"]), (\.creationDate, ["creationDate"]),
            ]
            var found = 0
            for number in 0..<filtersPerSeed {
                let pair = pair(depth: 3, groups, &random)
                let order = orders[Int.random(in: 0..<orders.count, using: &random)]
                let query = Query(
                    recordType: "Things", filter: try Filter(format: pair.text, arguments: pair.arguments),
                    sortedBy: order.1)
                let expected = try await database.allRecords(matching: query)
                let actual = try await things.all(where: pair.typed, by: order.0).map(\.record)
                let count = try await things.count(where: pair.typed)
                found += actual.isEmpty ? 0 : 1
                let label = "Filter \(number), \(pair.text), which is \(pair.typed(things.fields))"
                try expect("\(label): the records", actual, equals: expected)
                try expect("\(label): the count", count, equals: expected.count)
                let sums = try await things.sums(of: \.d, by: \.kind, where: pair.typed)
                let untyped = try await database.sums(of: "d", by: "kind", matching: query)
                let same = untyped.allSatisfy { sums[($0.value as? String).flatMap(Kind.init)] == $0.sum }
                try expect(same, "\(label): the sums: \(sums) and \(untyped)")
            }
            try expect(found >= filtersPerSeed / 4, "Only \(found) filters found records.")
        }
    }

    private static func fill(_ database: Database, _ random: inout SeededGenerator) async throws -> [TypedID<Groups>] {
        let table = database.table(Groups.self)
        var groups: [Typed<Groups>] = []
        for number in 0..<4 {
            var group = table.make(named: "g\(number)")
            group.name = "group \(number % 3)"
            group.size = number == 0 ? nil : number
            groups.append(group)
        }
        try await table.save(groups)
        let things = database.table(Things.self)
        var made: [Typed<Things>] = []
        for number in 0..<60 {
            func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
            var thing = things.make(named: "t\(number)")
            thing.name = maybe(["Milk", "milk", "Bread", "Brot", "Ärger"][number % 5])
            thing.n = maybe(Int.random(in: -3...6, using: &random))
            thing.d = maybe(Double(Int.random(in: -8...8, using: &random)) / 4)
            thing.day = maybe(day(Int.random(in: 0...5, using: &random)))
            thing.done = maybe(Bool.random(using: &random))
            thing.kind = maybe(Kind.allCases[number % 3])
            if let sizes = maybe([number % 4, number % 7]) { thing.sizes = sizes }
            thing.place = maybe(Location(latitude: Double(number % 9) / 100, longitude: 0))
            thing.group = maybe(groups[number % 4].id)
            if let links = maybe([groups[number % 4].id, groups[(number + 1) % 4].id]) { thing.groups = links }
            made.append(thing)
        }
        try await things.save(made)
        return groups.map(\.id)
    }

    private static func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

    private static func pair(depth: Int, _ groups: [TypedID<Groups>], _ random: inout SeededGenerator) -> Pair {
        guard depth > 0, Int.random(in: 0..<3, using: &random) > 0 else { return leaf(groups, &random) }
        let left = pair(depth: depth - 1, groups, &random)
        let (leftTyped, leftText) = (left.typed, left.text)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return Pair(typed: { !leftTyped($0) }, text: "NOT (\(leftText))", arguments: left.arguments)
        case let number:
            let right = pair(depth: depth - 1, groups, &random)
            let rightTyped = right.typed
            let arguments = left.arguments + right.arguments
            if number == 1 {
                return Pair(
                    typed: { leftTyped($0) && rightTyped($0) }, text: "(\(leftText)) AND (\(right.text))",
                    arguments: arguments)
            }
            return Pair(
                typed: { leftTyped($0) || rightTyped($0) }, text: "(\(leftText)) OR (\(right.text))",
                arguments: arguments)
        }
    }

    private static func leaf(_ groups: [TypedID<Groups>], _ random: inout SeededGenerator) -> Pair {
        let n = Int.random(in: -3...6, using: &random)
        let d = Double(Int.random(in: -8...8, using: &random)) / 4
        let date = day(Int.random(in: 0...5, using: &random))
        let kind = Kind.allCases[Int.random(in: 0..<3, using: &random)]
        let group = groups[Int.random(in: 0..<4, using: &random)]
        let here = Location(latitude: 0.03, longitude: 0)
        let leaves: [Pair] = [
            Pair(typed: { $0.n == n }, text: "n == \(n)"), Pair(typed: { $0.n != n }, text: "n != \(n)"),
            Pair(typed: { $0.n < n }, text: "n < \(n)"), Pair(typed: { $0.n <= n }, text: "n <= \(n)"),
            Pair(typed: { $0.d > d }, text: "d > \(d)"), Pair(typed: { $0.d >= d }, text: "d >= \(d)"),
            Pair(typed: { $0.d == nil }, text: "d == nil"), Pair(typed: { $0.kind != nil }, text: "kind != nil"),
            Pair(typed: { $0.n.isIn(n...(n + 2)) }, text: "n BETWEEN {\(n), \(n + 2)}"),
            Pair(typed: { $0.n.isIn(n..<(n + 2)) }, text: "n >= \(n) AND n < \(n + 2)"),
            Pair(typed: { $0.n.isIn([n, 2]) }, text: "n IN {\(n), 2}"),
            Pair(typed: { $0.n * 2 + 1 > n }, text: "n * 2 + 1 > \(n)"),
            Pair(typed: { $0.n - 1 < $0.sizes.count }, text: "n - 1 < sizes[SIZE]"),
            Pair(typed: { $0.d / 2 < $0.n.asDouble }, text: "d / 2 < n"),
            Pair(typed: { $0.kind == kind }, text: "kind == %@", arguments: [kind.rawValue]),
            Pair(typed: { $0.done == true }, text: "done == YES"),
            Pair(typed: { $0.day < date }, text: "day < %@", arguments: [date]),
            Pair(typed: { $0.name.hasPrefix("Br") }, text: "name BEGINSWITH 'Br'"),
            Pair(typed: { $0.name.hasSuffix("K", options: .caseInsensitive) }, text: "name ENDSWITH[c] 'K'"),
            Pair(
                typed: { $0.name.contains("ar", options: [.caseInsensitive, .diacriticInsensitive]) },
                text: "name CONTAINS[cd] 'ar'"),
            Pair(typed: { $0.name.like("?il*") }, text: "name LIKE '?il*'"),
            Pair(typed: { $0.name.matches("[MB].*") }, text: "name MATCHES '[MB].*'"),
            Pair(typed: { $0.name.matchesTokens("milk") }, text: "name TOKENMATCHES 'milk'"),
            Pair(typed: { $0.matchesTokens("bread") }, text: "SELF CONTAINS 'bread'"),
            Pair(typed: { $0.name.search("mil") }, text: "name SEARCH 'mil'"),
            Pair(typed: { $0.search("Br") }, text: "SELF SEARCH 'br'"),
            Pair(
                typed: { $0.name.compared(.equal, to: "MILK", options: .caseInsensitive) }, text: "name ==[c] 'MILK'"),
            Pair(typed: { $0.sizes.any > n }, text: "ANY sizes > \(n)"),
            Pair(typed: { $0.sizes.all < 5 }, text: "ALL sizes < 5"),
            Pair(typed: { $0.sizes.none == n }, text: "NONE sizes == \(n)"),
            Pair(typed: { $0.sizes.contains(n) }, text: "sizes CONTAINS \(n)"),
            Pair(typed: { $0.sizes.first >= 2 }, text: "sizes[FIRST] >= 2"),
            Pair(
                typed: { $0.place.distance(to: here) < 2500 },
                text: "distanceToLocation:fromLocation:(place, %@) < 2500", arguments: [here]),
            Pair(typed: { $0.group == group }, text: "group == %@", arguments: [group.recordID]),
            Pair(
                typed: { $0.group.isIn([group, groups[0]]) }, text: "group IN %@",
                arguments: [[group.recordID, groups[0].recordID]]),
            Pair(typed: { $0.group.to.name == "group 1" }, text: "group.name == 'group 1'"),
            Pair(typed: { $0.group.to.size > $0.n }, text: "group.size > n"),
            Pair(typed: { $0.groups.contains(group) }, text: "groups CONTAINS %@", arguments: [group.recordID]),
            Pair(typed: { $0.groups.any.to.name == "group 2" }, text: "ANY groups.name == 'group 2'"),
            Pair(
                typed: { $0.id != TypedID(recordName: "t3") }, text: "recordID != %@",
                arguments: [RecordID(recordName: "t3")]),
        ]
        return leaves[Int.random(in: 0..<leaves.count, using: &random)]
    }
}
