import CabinetTesting
import Foundation
import Testing

@testable import CabinetServer

/// The fuzzer's properties on its seeds, on what it has found, and on some changes of both; `make fuzz` goes on from there.
@Suite("Bytes of a network")
struct WireCorpusTests {
    @Test("give a value or an error", arguments: WireFuzzChecks.Target.allCases)
    func corpus(_ target: WireFuzzChecks.Target) async throws {
        var checks = try WireFuzzChecks()
        var generator = SeededGenerator(seed: 11)
        let found = try (FuzzSeeds.found[target] ?? []).map { Array(try #require(Data(base64Encoded: $0))) }
        for seed in FuzzSeeds.seeds(of: target) + found {
            try await checks.check(target, seed)
            for _ in 0..<100 { try await checks.check(target, Self.changed(seed, &generator)) }
        }
    }

    @Test("are read in time that grows with their number alone", .timeLimit(.minutes(15)))
    func longForms() throws {
        // A head of one line, which an expression could read again from each beginning.
        let head = String(repeating: "content-disposition: form-data; ", count: 200_000)
        let form = Data("--x\r\n\(head)\r\n\r\nbytes\r\n--x--".utf8)
        #expect(throws: HTTPError.self) {
            try MultipartForm.part("files", of: form, contentType: "multipart/form-data; boundary=x")
        }
        let parts = Data(String(repeating: "--x\r\n\r\n\r\n\r\n", count: 500_000).utf8)
        #expect(throws: HTTPError.self) {
            try MultipartForm.part("files", of: parts, contentType: "multipart/form-data; boundary=x")
        }
    }

    private static func changed(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
            case 1: bytes.remove(at: position)
            case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &generator)], at: position)
            default:
                bytes.removeSubrange(position..<min(position + Int.random(in: 1...20, using: &generator), bytes.count))
            }
        }
        return bytes
    }
}
