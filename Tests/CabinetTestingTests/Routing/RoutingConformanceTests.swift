import Cabinet
import CabinetTesting
import Testing

@Suite("Several stores are one backend")
struct RoutingConformanceTests {
    @Test("Every rule", arguments: ConformanceRule.all)
    func rule(_ rule: ConformanceRule) async throws {
        try await rule.run(
            on: .inMemory {
                let (berlin, paris) = (MemoryBackend(), MemoryBackend())
                return try RoutingBackend(
                    stores: ["berlin": berlin, "paris": paris], directory: StoredDirectory(in: berlin))
            })
    }
}
