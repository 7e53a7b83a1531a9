import Foundation
import Testing

@testable import CabinetServer

@Suite("The IDs of requests")
struct RequestIDTests {
    @Test("are UUIDs of version 8, and none occurs twice, from several tasks at once")
    func ids() async throws {
        let ids = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<4 { group.addTask { (0..<1_000).map { _ in RequestID.make() } } }
            return await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(Set(ids).count == 4_000)
        for id in ids {
            let uuid = try #require(UUID(uuidString: id)).uuid
            #expect(uuid.6 >> 4 == 8 && uuid.8 >> 6 == 2, "\(id)")
            #expect(id == id.lowercased())
        }
    }
}
