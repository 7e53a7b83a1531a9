import Cabinet
import Foundation
import Testing

@Suite("CabinetError")
struct CabinetErrorTests {
    private let milk = RecordID(recordName: "milk")

    @Test("An expectation and a catch clause take a code")
    func expectedCodes() {
        #expect(throws: CabinetError(.unknownItem)) { throw CabinetError(.unknownItem, "No such record.") }
        withKnownIssue {
            #expect(throws: CabinetError(.unknownItem)) { throw CabinetError(.zoneNotFound, "No such zone.") }
        }
        do {
            throw CabinetError(.zoneBusy, "")
        } catch CabinetError.unknownItem {
            Issue.record("Another code was caught.")
        } catch CabinetError.zoneBusy {
        } catch {
            Issue.record("The code was not caught.")
        }
        #expect(CabinetError.unknownItem == CabinetError.Code.unknownItem)
        #expect(CabinetError(.zoneBusy, "a", recordID: milk) == CabinetError(.zoneBusy, "b"))
    }

    @Test(
        "A waiting time is between nothing and a day, which a task can sleep",
        arguments: [(5.5, 5.5), (1e300, 86_400), (.infinity, 86_400), (-1, 0), (.nan, 0)] as [(Double, Double)])
    func waitingTime(seconds: Double, expected: Double) {
        var error = CabinetError(.requestRateLimited, "", retryAfterSeconds: seconds)
        #expect(error.retryAfterSeconds == expected)
        error.retryAfterSeconds = nil
        error.retryAfterSeconds = seconds
        #expect(error.retryAfterSeconds == expected)
    }

    @Test("The description is a small tree")
    func description() {
        let error = CabinetError(
            .invalidArguments, "The field holds INT64 values; the new value is a STRING.", recordID: milk,
            fieldKey: "number")
        #expect(
            error.description == """
                CabinetError: invalidArguments (12)
                ├─ Reason: The field holds INT64 values; the new value is a STRING.
                ├─ Record: milk
                └─ Field: number
                """)
    }

    @Test("An error with a code alone is one line")
    func codeAlone() {
        #expect(CabinetError(.zoneBusy, "").description == "CabinetError: zoneBusy (23)")
    }

    @Test("The message in one line has no line ends of any system", arguments: ["\n", "\r\n", "\r", "\u{2028}"])
    func lineEnds(end: String) {
        let error = CabinetError(.zoneBusy, "First line.\(end)Second line.")
        #expect(error.errorDescription == "First line. Second line.")
        #expect(error.description.split(separator: "\n").count == 3)
    }

    @Test("Messages of several lines, causes and waiting times appear in the tree")
    func branches() {
        let cause = CabinetError(.internalError, "Inner.", recordID: milk)
        let error = CabinetError(.zoneBusy, "First line.\nSecond line.", underlyingError: cause, retryAfterSeconds: 1.5)
        #expect(
            error.description == """
                CabinetError: zoneBusy (23)
                ├─ Reason: First line.
                │  Second line.
                ├─ Retry after: 1.5 s
                └─ Cause: CabinetError: internalError (1)
                   ├─ Reason: Inner.
                   └─ Record: milk
                """)
    }

    @Test("A conflict shows its three records")
    func conflict() {
        var client = Record(recordType: "Items", recordID: milk)
        client["number"] = 1
        let server = Record(recordType: "Items", recordID: milk)
        let error = CabinetError(
            .serverRecordChanged, "",
            conflict: RecordConflict(clientRecord: client, serverRecord: server, ancestorRecord: nil))
        #expect(
            error.description == """
                CabinetError: serverRecordChanged (14)
                ├─ Client record: Items milk (number: 1) [tag: none, unsaved: number]
                ├─ Server record: Items milk () [tag: none]
                └─ Ancestor record: none
                """)
        #expect(error.clientRecord == client)
        #expect(error.serverRecord == server)
        #expect(error.ancestorRecord == nil)
        #expect(CabinetError(.unknownItem, "").serverRecord == nil)
    }

    @Test("Failures of single items are branches, in the order of their IDs")
    func partialErrors() {
        let error = CabinetError(
            .partialFailure, "Two failed.",
            partialErrorsByItemID: [
                milk: CabinetError(.unknownItem, "Gone."),
                RecordID(recordName: "bread"): CabinetError(.internalError, ""),
            ])
        #expect(
            error.description == """
                CabinetError: partialFailure (2)
                ├─ Reason: Two failed.
                ├─ bread: CabinetError: internalError (1)
                └─ milk: CabinetError: unknownItem (11)
                   └─ Reason: Gone.
                """)
    }

    @Test("The localized description is the message, and the data that it does not name")
    func localizedDescription() {
        func text(_ message: String, _ record: RecordID? = nil, _ field: String? = nil) -> String {
            let error: any Error = CabinetError(.unknownItem, message, recordID: record, fieldKey: field)
            return error.localizedDescription
        }
        #expect(text("There is no such record.") == "There is no such record.")
        #expect(text("There is no such record.", milk) == "There is no such record. (record milk)")
        #expect(text("A wrong value.", milk, "number") == "A wrong value. (record milk, field number)")
        #expect(text("The field 'number' is wrong.", milk, "number") == "The field 'number' is wrong. (record milk)")
        #expect(text("It points to milk.", milk) == "It points to milk.")
        let short = RecordID(recordName: "a")
        #expect(text("It has an error.", short) == "It has an error. (record a)")
        #expect(text("First.\nSecond.", milk) == "First. Second. (record milk)")
        #expect(text("", milk) == "unknownItem. (record milk)")
    }

    @Test("An error is caught by its code")
    func pattern() {
        func code(of error: any Error) -> String {
            do {
                throw error
            } catch CabinetError.Code.unknownItem {
                return "unknown"
            } catch CabinetError.Code.serverRecordChanged {
                return "changed"
            } catch {
                return "other"
            }
        }
        #expect(code(of: CabinetError(.unknownItem, "")) == "unknown")
        #expect(code(of: CabinetError(.serverRecordChanged, "")) == "changed")
        #expect(code(of: CabinetError(.zoneBusy, "")) == "other")
        #expect(code(of: CancellationError()) == "other")
    }

    @Test("Codes have CloudKit's names and numbers")
    func codes() {
        let expected: [(CabinetError.Code, Int, String)] = [
            (.internalError, 1, "internalError"), (.partialFailure, 2, "partialFailure"),
            (.badContainer, 5, "badContainer"),
            (.serviceUnavailable, 6, "serviceUnavailable"), (.notAuthenticated, 9, "notAuthenticated"),
            (.permissionFailure, 10, "permissionFailure"), (.unknownItem, 11, "unknownItem"),
            (.invalidArguments, 12, "invalidArguments"), (.serverRecordChanged, 14, "serverRecordChanged"),
            (.changeTokenExpired, 21, "changeTokenExpired"), (.batchRequestFailed, 22, "batchRequestFailed"),
            (.zoneBusy, 23, "zoneBusy"), (.quotaExceeded, 25, "quotaExceeded"), (.zoneNotFound, 26, "zoneNotFound"),
            (.limitExceeded, 27, "limitExceeded"), (.referenceViolation, 31, "referenceViolation"),
            (.assetNotAvailable, 35, "assetNotAvailable"),
            (.accountTemporarilyUnavailable, 36, "accountTemporarilyUnavailable"),
        ]
        for (code, number, name) in expected {
            #expect(code.rawValue == number)
            #expect(code.description == name)
        }
        for number in 1...36 { #expect(!CabinetError.Code(rawValue: number).description.hasPrefix("code")) }
        #expect(CabinetError.Code(rawValue: 4711).description == "code 4711")
    }

    @Test("An expectation names the code of an error")
    func expectations() async throws {
        let database = try Container(identifier: "com.example.notes", backend: MemoryBackend()).privateDatabase
        let error = await #expect(throws: CabinetError.self) { try await database.record(for: "nowhere") }
        #expect(error?.code == .unknownItem)
        await #expect {
            try await database.record(for: "nowhere")
        } throws: {
            CabinetError.Code.unknownItem ~= $0
        }
        #expect(!(CabinetError.Code.zoneNotFound ~= CabinetError(.unknownItem, "")))
    }
}
