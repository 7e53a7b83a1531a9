import Cabinet
import CabinetConformance
import Testing

@Suite("Failures of rules")
struct ConformanceFailureTests {
    private func failure(
        of body: @escaping @Sendable (ConformanceWorld) async throws -> Void
    ) async throws -> ConformanceFailure {
        let rule = ConformanceRule(.values, "a test", law: "It holds.", source: .cloudKit("CKRecord.h"), body: body)
        return try await #require(throws: ConformanceFailure.self) { try await rule.run { MemoryBackend() } }
    }

    @Test("A failed expectation names the rule, the law, the source and the line")
    func expectation() async throws {
        let failure = try await failure { _ in try expect("The sum", 1 + 1, equals: 3, fileID: "Rules.swift", line: 7) }
        #expect(
            failure.description == """
                ConformanceFailure: values: a test
                ├─ Law: It holds.
                ├─ Source: CloudKit, CKRecord.h
                ├─ Found: The sum: found 2, expected 3.
                └─ Line: Rules.swift:7
                """)
    }

    @Test("An error that a rule did not expect is its failure")
    func unexpectedError() async throws {
        let failure = try await failure { _ in throw CabinetError(.internalError, "It broke.") }
        #expect(failure.rule?.name == "a test")
        #expect((failure.underlyingError as? CabinetError)?.code == .internalError)
        #expect(failure.description.hasSuffix("└─ Error: CabinetError: internalError (1)\n   └─ Reason: It broke."))
    }

    @Test("expect fails on false")
    func condition() async throws {
        let failure = try await failure { _ in try expect(false, "No.") }
        #expect(failure.message == "No.")
    }

    @Test("require fails on nil")
    func requirement() async throws {
        let failure = try await failure { _ in _ = try require(Int?.none, "The number") }
        #expect(failure.message == "The number: found nothing.")
    }

    @Test("expectError fails when nothing is thrown")
    func nothingThrown() async throws {
        let failure = try await failure { _ in try await expectError(.unknownItem) { 5 } }
        #expect(failure.message == "Expected the error unknownItem; found 5.")
    }

    @Test(
        "expectError fails on another error",
        arguments: [
            CabinetError(.zoneNotFound, "the words"), CabinetError(.unknownItem, "something else"),
            CabinetError(.unknownItem, "the words", recordID: RecordID(recordName: "other")),
            CabinetError(.unknownItem, "the words", recordID: RecordID(recordName: "milk"), fieldKey: "other"),
        ])
    func otherError(_ error: CabinetError) async throws {
        let failure = try await failure { _ in
            try await expectError(.unknownItem, naming: ["words"], about: RecordID(recordName: "milk"), in: "number") {
                throw error
            }
        }
        #expect(failure.underlyingError is CabinetError)
    }

    @Test("expectError returns the error that it expects")
    func expectedError() async throws {
        let rule = ConformanceRule(.values, "a test", law: "It holds.", source: .cabinet("here")) { _ in
            let error = try await expectError(.unknownItem, naming: ["wor"]) {
                throw CabinetError(.unknownItem, "the words")
            }
            try expect("The message", error.message, equals: "the words")
        }
        try await rule.run { MemoryBackend() }
    }

    @Test("A rule that never ends fails, and says how to give a slow machine more time")
    func timeLimit() async throws {
        let rule = ConformanceRule(.values, "a test", law: "It ends.", source: .cabinet("here")) { _ in
            while !Task.isCancelled { await Task.yield() }
            // Even a rule that ignores cancellation is abandoned.
            await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
        }
        let failure = try await #require(throws: ConformanceFailure.self) {
            try await rule.run(timeLimit: .milliseconds(50)) { MemoryBackend() }
        }
        #expect(failure.message.contains("did not end within 0.05 seconds"))
        #expect(failure.message.contains("--time-limit"))
    }

    @Test("A rule about many queries names the first one that differs, with its expected records")
    func firstDifference() async throws {
        let mutant = try #require(Mutant.all.first { $0.name == "finds the order of an index alone" })
        let rule = try #require(ConformanceRule.all.first { $0.name == "an index changes no answer" })
        let failure = try await #require(throws: ConformanceFailure.self) {
            try await rule.run { MutantBackend(mutant.fault) }
        }
        let message = failure.message
        #expect(
            message.hasPrefix("With indexes (variant 0): TRUEPREDICATE of Items, 6 at a time: found [\"r"), "\(message)"
        )
        #expect(message.contains(", expected [\"r0\", "))
        #expect(message.count < 1000)
    }

    @Test("An index that is wrong after a restart is blamed, and not the scan")
    func wrongIndex() async throws {
        let mutant = Mutant("loses what is indexed after a restart", caughtBy: []) {
            $0.indexedPage = { $0.filter { $0.recordID.recordName != "r23" } }
        }
        let (backend, reopen) = mutant.store()
        let rule = try #require(ConformanceRule.all.first { $0.name == "indexes survive a restart" })
        let failure = try await #require(throws: ConformanceFailure.self) {
            try await rule.run(reopening: reopen) { backend }
        }
        #expect(failure.message.hasPrefix("With the reopened indexes: "), "\(failure.message)")
        let expected = try #require(failure.message.firstRange(of: ", expected "))
        #expect(!failure.message[..<expected.lowerBound].contains("r23"), "\(failure.message)")
        #expect(failure.message[expected.upperBound...].contains("r23"), "\(failure.message)")
    }

    @Test("Values whose descriptions are long and begin alike are shown where they differ")
    func longValues() async throws {
        let start = String(repeating: "k", count: 1000)
        let failure = try await failure { _ in try expect("The text", start + "found", equals: start + "wanted") }
        #expect(failure.message.contains("kfound, expected …k") && failure.message.hasSuffix("kwanted."))
    }

    #if compiler(>=6.2) && (os(Linux) || os(macOS))
    @Test("A rule that traps is named on standard error")
    func trap() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let rule = ConformanceRule(.paging, "a rule that traps", law: "It holds.", source: .cabinet("here")) { _ in
                let none: [Int] = []
                _ = none[Int.random(in: 1...2)]
            }
            let ended = ConformanceRule(.values, "a rule that has ended", law: "It holds.", source: .cabinet("here")) {
                _ in
            }
            try await ended.run { MemoryBackend() }
            try await rule.run { MemoryBackend() }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("These rules are running:\npaging: a rule that traps\n"), "\(text.prefix(2000))")
        #expect(!text.contains("a rule that has ended"))
    }
    #endif

    @Test("A rule closes its backend, also when it fails")
    func closing() async throws {
        for fails in [false, true] {
            let backend = MemoryBackend()
            let rule = ConformanceRule(.values, "a test", law: "It holds.", source: .cabinet("here")) { _ in
                try expect(!fails, "It fails.")
            }
            try? await rule.run { backend }
            await #expect(throws: CabinetError.self) { try await backend.read(.public) { try await $0.schema() } }
        }
    }
}
