import CabinetConformance
import DictionaryBackend
import Foundation

exit(await ConformanceRunner.run(on: .inMemory { DictionaryBackend() }))
