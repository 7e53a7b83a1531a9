import Cabinet
import CabinetTesting
import Foundation
import Testing

/// The code of the article "Testing what goes wrong".
@Suite("A program's own tests of what goes wrong")
struct NotebookTests {
    // snippet: busy
    @Test func aBusyStoreIsTriedAgain() async throws {
        let backend = FaultInjectingBackend()
        let container = try Container(
            identifier: "com.example.notes", backend: backend)
        let notebook = Notebook(database: container.privateDatabase)

        backend.inject(
            .failure(.zoneBusy, retryAfter: 0.01), on: .write, times: 2)
        _ = try await notebook.save(Record(recordType: "Notes"))

        #expect(
            backend.calls.map(\.outcome) == [
                .threw(.zoneBusy), .threw(.zoneBusy), .returned,
            ])
    }
    // end

    // snippet: lost
    @Test(arguments: [
        InjectedFault.connectionLostBeforeCommit(reportedAs: .serverResponseLost),
        .connectionLostAfterCommit(),
    ])
    func aLostAnswerSavesNothingTwice(_ fault: InjectedFault) async throws {
        let backend = FaultInjectingBackend()
        let container = try Container(
            identifier: "com.example.notes", backend: backend)
        let notebook = Notebook(database: container.privateDatabase)
        var note = Record(recordType: "Notes")
        note["text"] = "Milk"

        backend.inject(fault, on: .write)
        let saved = try await notebook.save(note)

        #expect(saved.recordChangeTag != nil)
        #expect(
            try await container.privateDatabase.count(
                matching: Query(recordType: "Notes")) == 1)
    }
    // end
}
