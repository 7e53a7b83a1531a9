import CabinetConformance
import Foundation
import JSONLinesBackend

let family = CommandLine.arguments.dropFirst().first
let rules = ConformanceRule.all.filter { family == nil || $0.family.rawValue == family }
let subject = ConformanceSubject.inDirectories { directory in
    try await JSONLinesBackend(file: directory.appendingPathComponent("store.jsonl"))
}
let report = await ConformanceRule.run(rules, on: subject)
print(report)
exit(report.isPassed ? 0 : 1)
