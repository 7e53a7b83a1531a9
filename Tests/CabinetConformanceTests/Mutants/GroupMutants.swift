import Cabinet
import Foundation

extension Mutant {
    /// Backends that delete records together, but not the right ones.
    static let grouping: [Mutant] = [
        Mutant(
            "overlooks references to the records of a group",
            caughtBy: [
                "a group says whether others refer to it", "a cascade over many records follows their references",
            ]
        ) { $0.groups = GroupFault(overlooksReferences: true) },
        Mutant(
            "leaves the last record of a group",
            caughtBy: [
                "records that refer to one record are deleted together",
                "a cascade over many records is like one over few",
            ]
        ) { $0.groups = GroupFault(leavesLast: true) },
        Mutant(
            "numbers the deletions of a group backwards",
            caughtBy: ["records that refer to one record are deleted together"]
        ) { $0.groups = GroupFault(numbersBackwards: true) },
        Mutant(
            "groups records of every zone", caughtBy: ["records that refer to one record are deleted together"]
        ) { $0.groups = GroupFault(countsOneMore: true) },
    ]
}

/// The faults of deletions of groups.
struct GroupFault: Sendable {
    var overlooksReferences = false
    var leavesLast = false
    var numbersBackwards = false
    var countsOneMore = false
}

/// The groups of a transaction with a fault.
struct MutantReferrers: StorageReferrers {
    let fault: GroupFault
    let base: any StorageReferrers

    func groups(referringTo id: RecordID) async throws -> [ReferrerGroup]? {
        guard fault.countsOneMore else { return try await base.groups(referringTo: id) }
        return try await base.groups(referringTo: id)?.map { group in
            ReferrerGroup(
                target: group.target, recordType: group.recordType, place: group.place, count: group.count + 1)
        }
    }

    func mayBeReferredTo(_ group: ReferrerGroup) async throws -> Bool {
        if fault.overlooksReferences { return false }
        return try await base.mayBeReferredTo(group)
    }

    func delete(_ group: ReferrerGroup, count: Int, from sequenceNumber: Int64, date: Date) async throws {
        if fault.numbersBackwards {
            for number in (sequenceNumber..<sequenceNumber + Int64(count)).reversed() {
                try await base.delete(group, count: 1, from: number, date: date)
            }
        } else {
            try await base.delete(group, count: fault.leavesLast ? count - 1 : count, from: sequenceNumber, date: date)
        }
    }
}
