import Foundation
import Testing

@testable import Cabinet

/// The table of ``SaveRule``, cell by cell, with plain values.
@Suite("Save policies: the whole table")
struct SaveRuleTests {
    private enum Outcome: Equatable {
        case created
        case merged([String: FieldValue])
        case failed(CabinetError.Code)
    }

    private enum Client: CaseIterable {
        case new, stale, current
    }

    private static let created = Date(timeIntervalSince1970: 0)
    private static let now = Date(timeIntervalSince1970: 100)

    private func stored(_ number: Int64, _ values: [(String, FieldValue)]) -> StoredRecord {
        StoredRecord(
            recordID: RecordID(recordName: "milk"), recordType: "Items", sequenceNumber: number,
            creationDate: Self.created,
            creatorName: "anna", modificationDate: Self.created, lastModifierName: "anna", parentName: "p",
            fields: FieldValues(names: FieldNames(values.map(\.0)), values: values.map(\.1)))
    }

    /// The client's record, with `a` changed to 10 and `b` unchanged.
    private func record(_ client: Client) -> Record {
        var record: Record =
            switch client {
            case .new: Record(recordType: "Items", recordID: RecordID(recordName: "milk"))
            case .stale: Record(stored(1, [("a", .int64(1)), ("b", .int64(2))]))
            case .current: Record(stored(2, [("a", .int64(1)), ("b", .int64(3)), ("c", .int64(4))]))
            }
        record["a"] = 10
        if client == .new { record["b"] = 2 }
        return record
    }

    private var server: StoredRecord { stored(2, [("a", .int64(1)), ("b", .int64(3)), ("c", .int64(4))]) }

    private func outcome(_ policy: RecordSavePolicy, _ client: Client, over server: StoredRecord?) -> Outcome {
        let rule = SaveRule(policy: policy, database: .private(owner: "anna"), user: "anna", now: Self.now)
        do throws(CabinetError) {
            let saved = try rule.merge(record(client), into: server)
            if server == nil { return .created }
            return .merged(
                Dictionary(uniqueKeysWithValues: saved.fields.keys.map { ($0, saved.fields[$0] ?? .int64(0)) }))
        } catch {
            return .failed(error.code)
        }
    }

    @Test("The server has no such record")
    func unknown() {
        #expect(outcome(.ifServerRecordUnchanged, .new, over: nil) == .created)
        #expect(outcome(.changedKeys, .new, over: nil) == .created)
        #expect(outcome(.allKeys, .new, over: nil) == .created)
        #expect(outcome(.ifServerRecordUnchanged, .stale, over: nil) == .failed(.unknownItem))
        #expect(outcome(.changedKeys, .stale, over: nil) == .failed(.unknownItem))
        #expect(outcome(.allKeys, .stale, over: nil) == .created)
    }

    @Test("The server has the record")
    func known() {
        let onlyA: [String: FieldValue] = ["a": .int64(10), "b": .int64(3), "c": .int64(4)]
        let allOfClient: [String: FieldValue] = ["a": .int64(10), "b": .int64(2), "c": .int64(4)]
        #expect(outcome(.ifServerRecordUnchanged, .new, over: server) == .failed(.serverRecordChanged))
        #expect(outcome(.ifServerRecordUnchanged, .stale, over: server) == .failed(.serverRecordChanged))
        #expect(outcome(.ifServerRecordUnchanged, .current, over: server) == .merged(onlyA))
        #expect(outcome(.changedKeys, .new, over: server) == .merged(allOfClient))
        #expect(outcome(.changedKeys, .stale, over: server) == .merged(onlyA))
        #expect(outcome(.changedKeys, .current, over: server) == .merged(onlyA))
        #expect(outcome(.allKeys, .new, over: server) == .merged(allOfClient))
        #expect(outcome(.allKeys, .stale, over: server) == .merged(allOfClient))
        #expect(outcome(.allKeys, .current, over: server) == .merged(onlyA))
    }

    @Test("Creation stays, modification is now")
    func dates() throws {
        let rule = SaveRule(policy: .changedKeys, database: .public, user: "anna", now: Self.now)
        let saved = try rule.merge(record(.stale), into: server)
        #expect(saved.creationDate == Self.created)
        #expect(saved.modificationDate == Self.now)
        #expect(saved.parentName == "p")
    }

    @Test("The parent is sent when it was changed, and always under allKeys")
    func parents() throws {
        var unparented = record(.stale)
        unparented.parent = nil
        for policy in RecordSavePolicy.allCases where policy != .ifServerRecordUnchanged {
            let rule = SaveRule(policy: policy, database: .public, user: "anna", now: Self.now)
            #expect(try rule.merge(unparented, into: server).parentName == nil)
        }
        let onlyNew = SaveRule(policy: .changedKeys, database: .public, user: "anna", now: Self.now)
        #expect(try onlyNew.merge(record(.new), into: server).parentName == "p")
    }

    @Test("In the public database the creator alone may save over a record")
    func permission() throws {
        let rule = SaveRule(policy: .changedKeys, database: .public, user: "ben", now: Self.now)
        let error = try #require(throws: CabinetError.self) { try rule.merge(record(.current), into: server) }
        #expect(error.code == .permissionFailure)
        let own = SaveRule(policy: .changedKeys, database: .private(owner: "ben"), user: "ben", now: Self.now)
        #expect(try own.merge(record(.current), into: server).lastModifierName == "ben")
    }
}
