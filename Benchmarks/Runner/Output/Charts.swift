import Foundation

/// Charts of the ratios on SQLite: one for each group of rows.
struct Charts {
    let results: [Results]

    /// Writes one file for each group, such as `read.svg`, at N = 100,000 or, without that, at the last size.
    func write(to folder: URL) throws {
        let candidates = results.filter { $0.suite.references.count > 1 }
        guard let chosen = candidates.first(where: { $0.count == 100_000 }) ?? candidates.last,
            let reference = chosen.suite.references.last
        else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for group in Row.Group.allCases {
            let lines = chosen.lines.filter { $0.group == group && $0.wall != nil }
            if lines.isEmpty { continue }
            let chart = Chart(
                group: group, lines: lines, suite: chosen.suite, reference: reference, count: chosen.count)
            try Data(chart.svg.utf8).write(to: folder.appending(path: "\(group.rawValue).svg"))
        }
    }
}

extension Row.Group {
    var title: String {
        switch self {
        case .write: "Writing"
        case .read: "Reading"
        case .sync: "Following changes"
        case .concurrency: "Many at once"
        case .own: "More"
        }
    }
}
