import Cabinet
import CabinetTesting
import Foundation
import Testing

@Suite("The clocks of several servers")
struct ClockTests {
    @Test("may differ at each date: a request that is sent again to a server behind the first one changes nothing")
    func repetition() async throws {
        let backend = MemoryBackend()
        let caller = Caller(account: Account(userRecordName: "_ann"), deviceID: "phone")
        var request = ModifyRecordsRequest(in: .private)
        (request.requestID, request.savePolicy) = (UUID(), .allKeys)
        request.recordsToSave = [Record("Items", "a", title: "Milk")]
        // A multiple of the time for which responses are remembered.
        let boundary = Date(timeIntervalSince1970: 1_800_000_000)
        var tags: [String?] = []
        for seconds in [0.5, -0.5, 1] {
            let service = try LocalDatabaseService(backend: backend, now: { boundary + seconds })
            tags.append(try await service.perform(request, for: caller).saveResults[0].get().recordChangeTag)
        }
        #expect(Set(tags).count == 1)
    }
}
