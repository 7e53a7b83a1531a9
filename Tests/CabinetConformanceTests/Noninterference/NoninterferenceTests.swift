import Cabinet
import Testing

@testable import CabinetConformance

/// Records that a user may not read change no answer.
@Suite("Noninterference")
struct NoninterferenceTests {
    @Test("Thousands of requests do not tell two worlds apart", arguments: 1...2 as ClosedRange<UInt64>)
    func thousands(seed: UInt64) async throws {
        try await ConformanceRule.noninterference(seed: seed, requests: 1000).run(timeLimit: .seconds(300)) {
            MemoryBackend()
        }
    }

    @Test("A service that shows something is found", arguments: Leak.allCases)
    func leaks(_ leak: Leak) async throws {
        let rule = ConformanceRule.noninterference(seed: 1, requests: 150)
        let adapt: ContainerAdapter = { try LeakingService.adapt($0, leak) }
        do {
            _ = try await rule.run(reopening: nil, helper: nil, adapt: adapt) { MemoryBackend() }
            #expect(leak == .nothing)
        } catch let failure as ConformanceFailure {
            #expect(leak != .nothing, "\(failure)")
        }
    }
}
