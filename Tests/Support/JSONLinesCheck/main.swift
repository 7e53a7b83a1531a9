import CabinetConformance
import Foundation
import JSONLinesBackend

let subject = ConformanceSubject.inDirectories { directory in
    try await JSONLinesBackend(file: directory.appendingPathComponent("store.jsonl"))
}
exit(await ConformanceRunner.run(on: subject))
