/// The figures of one suite at one size.
struct Results {
    let suite: Suite
    let rows: [Row]
    let count: Int
    let fills: Int
    let turns: Int
    /// The access paths of the rows' queries in Cabinet.
    var explanations: [String: String] = [:]
    private(set) var outcomes: [String: [Competition: [Outcome]]] = [:]

    init(suite: Suite, rows: [Row], count: Int, fills: Int, turns: Int) {
        self.suite = suite
        self.rows = rows
        self.count = count
        self.fills = fills
        self.turns = turns
    }

    mutating func add(_ outcome: Outcome, of row: Row, for competition: Competition) {
        outcomes[row.id, default: [:]][competition, default: []].append(outcome)
    }

    /// The compared figures: a line for the times of each row, one for each additional figure, and one for the peak
    /// memory of each competitor.
    var lines: [ResultLine] { rowLines + (suite.showsPeak ? [peak] : []) }

    private var peak: ResultLine {
        var peaks: [Competition: Double] = [:]
        for outcomes in outcomes.values {
            for (competition, outcomes) in outcomes {
                peaks[competition] = max(peaks[competition] ?? 0, outcomes.map(\.peak).max() ?? 0)
            }
        }
        return ResultLine(
            id: "peak", title: "peak memory of the process in all rows", group: .own, kind: .bytes,
            goal: suite.peakGoal, figures: Figures(values: peaks.mapValues { [$0] }))
    }

    private var rowLines: [ResultLine] {
        rows.flatMap { row in
            let outcomes = outcomes[row.id] ?? [:]
            func figures(_ value: (Outcome) -> Double) -> Figures {
                Figures(values: outcomes.mapValues { $0.map(value) })
            }
            let main = ResultLine(
                id: row.id, title: row.title, unit: row.unit, group: row.group, kind: .seconds, goal: row.goal,
                goalTimes: row.goalTimes, isGated: row.isReading, figures: figures(\.processor), wall: figures(\.wall))
            let side = row.side.map { side in
                ResultLine(
                    id: side.id, title: side.title, group: row.group, kind: side.unit, goal: side.goal,
                    limit: side.limit, figures: figures { $0.value(side.key) })
            }
            return (row.isTimed ? [main] : []) + side
        }
    }
}

extension Outcome {
    fileprivate func value(_ key: String) -> Double {
        switch key {
        case "growth": growth
        case "peak": peak
        case "rate": 1 / processor
        default: notes[key] ?? .nan
        }
    }
}
