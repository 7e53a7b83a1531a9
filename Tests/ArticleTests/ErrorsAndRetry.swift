import Cabinet
import CabinetTesting
import Foundation
import Testing

// snippet: transient
extension CabinetError {
    /// Whether the same request may succeed later.
    var isTransient: Bool {
        switch code {
        case .networkUnavailable, .networkFailure, .serviceUnavailable,
            .requestRateLimited, .zoneBusy:
            true
        default:
            retryAfterSeconds != nil
        }
    }
}
// end

// snippet: retrying
/// Performs a request, and repeats it while its error is transient.
func retrying<Value>(
    attempts: Int = 4, isolation: isolated (any Actor)? = #isolation,
    _ request: () async throws -> Value
) async throws -> Value {
    var delay = 0.5
    for _ in 1..<attempts {
        do {
            return try await request()
        } catch let error as CabinetError where error.isTransient {
            let seconds = error.retryAfterSeconds ?? delay
            try await Task.sleep(for: .seconds(seconds))
            delay *= 2
        }
    }
    return try await request()
}
// end

@Suite("The article about errors: its programs run")
struct ErrorsAndRetry {
    private let backend = FaultInjectingBackend()
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.errors", backend: backend).privateDatabase
    }

    @Test func catching() async throws {
        var item = Record(recordType: "Items")
        // snippet: catching
        do {
            item = try await database.save(item)
        } catch CabinetError.Code.quotaExceeded {
            print("The store is full.")
        } catch let error as CabinetError where error.isTransient {
            print("Try again in a moment.")
        } catch let error as CabinetError {
            print(error)  // the whole tree: for a log
            print(error.localizedDescription)  // one line: for a person
        }
        // end
        #expect(item.recordChangeTag != nil)
    }

    @Test func missing() async throws {
        // snippet: missing
        let item: Record?
        do {
            item = try await database.record(for: "milk")
        } catch CabinetError.unknownItem {
            item = nil
        }
        // end
        #expect(item == nil)
    }

    @Test func batches() async throws {
        var changed = try await database.save(Record(recordType: "Items"))
        let other = try await database.update(changed.recordID) { $0["number"] = 1 }
        changed["number"] = 2
        let items = [changed, Record(recordType: "Items")]
        // snippet: batch
        let (saveResults, _) = try await database.modifyRecords(
            saving: items, deleting: [], atomically: false)
        for (recordID, result) in saveResults {
            switch result {
            case .success(let saved):
                print("Saved", saved.recordID)
            case .failure(let error):
                print("Failed", recordID, error.code)
            }
        }
        // end
        #expect(saveResults[changed.recordID]?.code == .serverRecordChanged)
        #expect(other["number"] as? Int == 1)
    }

    @Test func causes() async throws {
        let saved = try await database.save(Record(recordType: "Items"))
        let stale = Record(recordType: "Items", recordID: saved.recordID)
        var items = [stale, Record(recordType: "Items")]
        // snippet: cause
        do {
            items = try await database.save(items)
        } catch let error as CabinetError where error.code == .partialFailure {
            let causes = error.partialErrorsByItemID.filter { _, error in
                error.code != .batchRequestFailed
            }
            print("Nothing was saved because of", causes.keys)
        }
        // end
        #expect(items.map(\.recordChangeTag) == [nil, nil])
    }

    @Test func retries() async throws {
        backend.inject(.failure(.zoneBusy, retryAfter: 0.001), on: .write, times: 2)
        let item = Record(recordType: "Items")
        // snippet: use
        let saved = try await retrying { try await database.save(item) }
        // end
        #expect(saved.recordChangeTag != nil && backend.calls.count == 3)
    }

    @Test func lostAnswers() async throws {
        let item = Record(recordType: "Items")
        backend.inject(.connectionLostAfterCommit(), on: .write)
        // snippet: lost
        let saved: Record
        do {
            saved = try await database.save(item)
        } catch CabinetError.Code.serverResponseLost {
            // The save may have been committed before the answer was lost.
            let results = try await database.records(for: [item.recordID])
            if let record = results[item.recordID]?.record {
                saved = record
            } else {
                saved = try await database.save(item)
            }
        }
        // end
        #expect(saved.recordChangeTag != nil)
    }

    @Test func mistakes() {
        #expect(throws: CabinetError.self) {
            // snippet: filter
            let filter = try Filter("name LIKES 'milk'")
            // end
            _ = filter
        }
    }
}
