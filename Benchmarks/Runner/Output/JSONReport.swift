import BenchmarkBaseline
import Foundation

/// All figures, for programs: seconds for each unit of the work, and bytes.
struct JSONReport: Codable {
    struct Table: Codable {
        var suite: String
        var count: Int
        var stores: Int
        var turns: Int
        var lines: [Line]
    }

    struct Line: Codable {
        var id: String
        var title: String
        var unit: String
        var group: String
        var metric: String?
        /// For each competitor, one for each round.
        var values: [String: [Double]]
        var medians: [String: Double]
        var wall: [String: Double]
        var cpu: [String: Double]
        /// Cabinet's median relative to that of each of the others.
        var ratios: [String: Double]
        var goal: Double?
        var limit: Double?
        var isMet: Bool?
    }

    var processors: Int
    var system: String
    var sqlite: String
    var tables: [Table]

    init(results: [Results]) {
        processors = ProcessInfo.processInfo.activeProcessorCount
        system = ProcessInfo.processInfo.operatingSystemVersionString
        sqlite = String(cString: baseline_version())
        tables = results.map { results in
            Table(
                suite: results.suite.id, count: results.count, stores: results.fills, turns: results.turns,
                lines: results.lines.map { Line($0, of: results.suite) })
        }
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        try encoder.encode(self).write(to: file)
    }
}

extension JSONReport.Line {
    init(_ line: ResultLine, of suite: Suite) {
        func named<Value>(_ values: [Competition: Value]) -> [String: Value] {
            Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
        }
        id = line.id
        title = line.title
        unit = line.unit
        group = line.group.rawValue
        metric = line.metric?.rawValue
        values = named(line.values)
        medians = named(line.values.mapValues(\.median))
        wall = named(line.wall)
        cpu = named(line.cpu)
        let ratios = suite.references.map { ($0, line.ratio(of: suite.own, to: $0)) }
        self.ratios = named(Dictionary(uniqueKeysWithValues: ratios).compactMapValues(\.self))
        goal = line.goal
        limit = line.limit
        isMet = suite.references.last.flatMap { line.isMet(by: suite.own, against: $0) }
    }
}
