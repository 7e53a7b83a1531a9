import CabinetTesting
import Foundation
import Testing

@Suite("Corpus: the fuzzer's initial inputs, and its findings")
struct FilterCorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Corpus")

    /// The inputs: every line of every text.
    private static func inputs() throws -> [[UInt8]] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "txt" }.flatMap { file in
            try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { Array($0) }
        }
    }

    @Test("Every input passes the fuzzer's checks, and most are filters")
    func corpus() throws {
        let inputs = try Self.inputs()
        #expect(inputs.count > 50)
        var count = 0
        for input in inputs {
            do {
                if try FilterFuzzChecks.check(input) { count += 1 }
            } catch {
                Issue.record("\(error) in \(String(decoding: input, as: UTF8.self))")
            }
        }
        #expect(count > 40)
    }

    @Test("Parts of inputs, and inputs joined, pass too")
    func mutations() throws {
        let inputs = try Self.inputs()
        var generator = SeededGenerator(seed: 31)
        for _ in 0..<5_000 {
            guard var input = inputs.randomElement(using: &generator),
                let other = inputs.randomElement(using: &generator)
            else { return }
            input = Array(input.prefix(.random(in: 1...input.count, using: &generator)))
            input += other.suffix(.random(in: 0..<other.count, using: &generator))
            #expect(throws: Never.self, "\(String(decoding: input, as: UTF8.self))") {
                try FilterFuzzChecks.check(input)
            }
        }
    }
}
