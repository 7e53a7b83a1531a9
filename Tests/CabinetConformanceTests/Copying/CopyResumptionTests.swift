import Cabinet
import CabinetTesting
import CabinetTools
import Foundation
import Testing

@testable import CabinetConformance

/// A copy that is interrupted at any point resumes there, and has the same result.
@Suite("Interrupted copies")
struct CopyResumptionTests {
    private let key = DatabaseKey.private(owner: "_anna")

    static let faults: [InjectedFault] = [
        .failure(.networkFailure), .connectionLostBeforeCommit(), .connectionLostAfterCommit(),
    ]

    @Test("A copy can fail at every step", arguments: faults)
    func everyStep(_ fault: InjectedFault) async throws {
        let source = MemoryBackend()
        try await CopySamples.fill(source)
        let expected = try await StoreDump(source, key)
        var step = 0
        var isInterrupted = true
        while isInterrupted {
            step += 1
            let target = FaultInjectingBackend()
            target.inject(fault, at: step)
            let copy = DatabaseCopy(of: key, from: source, to: target)
            do {
                _ = try await copy.finish()
                isInterrupted = false
            } catch {
                #expect((error as? CabinetError)?.code.isInjected == true, "\(error)")
                _ = try await copy.finish()
            }
            target.removeAllInjections()
            #expect(try await StoreDump(target, key) == expected, "interrupted at step \(step)")
        }
        // Reads, writes, and the steps of uploads.
        #expect(step > 20)
    }

    @Test("A copy can fail at one step after the other, while the source is written to", arguments: [1, 2, 3])
    func againAndAgain(seed: UInt64) async throws {
        let source = MemoryBackend()
        try await CopySamples.fill(source)
        let database = try CopySamples.container(source).privateDatabase
        try await database.saveAll(
            (0..<2000).map { (number: Int) in Record("Items", "r\(number)", ["number": number]) })
        let target = FaultInjectingBackend(seed: seed)
        for fault in Self.faults { target.inject(fault, times: nil, probability: 0.05) }
        var random = SeededGenerator(seed: seed)
        let copy = DatabaseCopy(of: key, from: source, to: target)
        var failures = 0
        var copied = 0
        for round in 0..<1000 {
            if round == 200 { target.removeAllInjections() }
            do {
                copied += try await copy.catchUp().savedRecords
                if round >= 30 { break }
            } catch {
                failures += 1
            }
            let numbers = (0..<20).map { _ in Int.random(in: 0..<2000, using: &random) }
            let names = Set(numbers).map { "r\($0)" }
            _ = try await database.modifyRecords(
                saving: names.dropFirst(5).map { Record("Items", $0, ["number": round]) },
                deleting: names.prefix(5).map { .named($0) }, savePolicy: .allKeys)
        }
        target.removeAllInjections()
        _ = try await copy.finish()
        #expect(failures > 3)
        #expect(copied > 0)
        #expect(try await StoreDump(target, key) == StoreDump(source, key))
    }

    @Test("Content that was copied before an interruption is not copied again")
    func nothingTwice() async throws {
        let source = MemoryBackend()
        let database = try CopySamples.container(source).privateDatabase
        try await database.saveAll(
            (0..<4000).map { (number: Int) in Record("Items", "r\(number)", ["number": number]) })
        let target = FaultInjectingBackend()
        // One write begins the copy, and each further one has 400 records.
        target.inject(.connectionLostBeforeCommit(), on: .write, at: 7)
        let copy = DatabaseCopy(of: key, from: source, to: target)
        await #expect(throws: CabinetError.self) { try await copy.finish() }
        let report = try await copy.finish()
        #expect(report.copied.savedRecords == 2000)
        #expect(report.content.recordCount == 4000)
    }

    @Test("Assets that no record uses in the end are removed")
    func assetsOfAnInterruptedCopy() async throws {
        let source = MemoryBackend()
        let database = try CopySamples.container(source).privateDatabase
        var record = try await database.save(Record("Items", "a", ["file": Asset(data: Data("old".utf8))]))
        let target = MemoryBackend()
        let copy = DatabaseCopy(of: key, from: source, to: target)
        try await copy.catchUp()
        record["file"] = Asset(data: Data("new".utf8))
        record = try await database.save(record)
        let report = try await copy.finish()
        #expect(report.content.assetCount == 1)
        #expect(try await StoreDump(target, key).assets.values.map { $0 } == [Data("new".utf8)])
    }
}

extension CabinetError.Code {
    fileprivate var isInjected: Bool { self == .networkFailure || self == .serverResponseLost }
}
