import Cabinet
import CabinetCloudKit
import CabinetTesting
import Foundation

/// Several devices with a `CKSyncEngine` and the notes of a program each, against one store.
///
/// A seed decides what happens at every moment of a send or a fetch: edits, faults, and the work of other devices and programs. Nothing runs
/// at the same time. The model of Cabinet's own engine has kills, expired tokens and small pages, too.
actor CloudSyncModel {
    static let names = ["a", "b", "c", "d"]
    static let zoneID = CKRecordZone.ID(zoneName: "Notes")
    private static let container = "iCloud.com.example.model"

    /// An edit of a device.
    private struct Edit {
        let text: String?
        /// The number of the note's texts that the store had had before.
        let position: Int
    }

    nonisolated let fault: CloudSyncFault?
    nonisolated let batchSize: Int
    /// Whether devices send before the zone exists and before they have fetched it.
    ///
    /// Then no requests fail. An engine that could not take a token after its first send fetches the whole zone later, and CloudKit's events do not
    /// say that the records which it does not return were deleted.
    private let startsWithoutZone: Bool
    private let disturbance: Int
    private let base: any StorageBackend
    private let observer: CKDatabase
    private var devices: [CloudDevice] = []
    private var engines: [CKSyncEngine] = []
    private var busy: Set<Int> = []
    private var lastEdits: [[String: Edit]] = []
    /// Every text that a note has had in the store, and `nil` where it did not exist.
    private var history = Dictionary(uniqueKeysWithValues: names.map { ($0, [String?.none]) })
    private var failure: String?
    private(set) var log: [String] = []
    private var random: SeededGenerator
    private var isDisturbed = true
    private var disturbances = 0
    private var depth = 0
    private var editCount = 0

    init(seed: UInt64, fault: CloudSyncFault? = nil, on base: any StorageBackend = MemoryBackend()) {
        random = SeededGenerator(seed: seed)
        batchSize = [1, 2, 400].randomElement(using: &random) ?? 1
        startsWithoutZone = Bool.random(using: &random)
        disturbance = [6, 15, 30].randomElement(using: &random) ?? 15
        self.fault = fault
        self.base = base
        observer = CKContainer(identifier: Self.container, backend: base).privateCloudDatabase
    }

    /// Runs steps, and then lets every device send and fetch until nothing changes.
    ///
    /// - Returns: The first mistake, with the events before it, or `nil`.
    func run(devices count: Int = 3, steps: Int = 40) async throws -> String? {
        for index in 0..<count {
            let device = CloudDevice(self, index)
            let backend = CloudModelBackend(base: base, model: self, index: index)
            let container = CKContainer(identifier: Self.container, backend: backend)
            devices.append(device)
            engines.append(device.engine(container.privateCloudDatabase))
            lastEdits.append([:])
        }
        if !startsWithoutZone {
            isDisturbed = false
            _ = try await observer.save(CKRecordZone(zoneID: Self.zoneID))
            for engine in engines { try await engine.fetchChanges() }
            isDisturbed = true
        }
        for _ in 0..<steps where failure == nil {
            let index = Int.random(in: devices.indices, using: &random)
            disturbances = 30
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<7: edit(index)
            case 7..<16: await work(index)
            case 16: try await writeFromOutside()
            default: await settle(index)
            }
        }
        isDisturbed = false
        for _ in 0..<Self.names.count + 3 {
            for index in devices.indices {
                await perform("sends at the end", index) { try await $0.sendChanges() }
                await perform("fetches at the end", index) { try await $0.fetchChanges() }
            }
        }
        let texts = try await storedTexts()
        for index in devices.indices {
            checkEdits(of: index)
            let own = devices[index].texts
            if own != texts { fail("Device \(index) has \(own); the store has \(texts).") }
        }
        return failure.map { "\($0)\n\(log.suffix(120).joined(separator: "\n"))" }
    }

    // MARK: Steps

    private func edit(_ index: Int) {
        let name = pick(Self.names)
        editCount += 1
        let text = chance(25) ? nil : "\(index).\(editCount)"
        note("device \(index) sets \(name) to \(text ?? "nothing")")
        devices[index].edit(name, text, engines[index])
        lastEdits[index][name] = Edit(text: text, position: history[name]?.count ?? 0)
    }

    private func work(_ index: Int) async {
        guard !busy.contains(index) else { return }
        let choice = Int.random(in: 0..<3, using: &random)
        if choice != 0 { await perform("sends", index) { try await $0.sendChanges() } }
        if choice != 1 { await perform("fetches", index) { try await $0.fetchChanges() } }
    }

    private func perform(_ name: String, _ index: Int, _ body: (CKSyncEngine) async throws -> Void) async {
        busy.insert(index)
        do {
            try await body(engines[index])
        } catch {
            note("device \(index) \(name): \((error as? CKError).map { "\($0.code)" } ?? "\(error)")")
        }
        busy.remove(index)
    }

    /// Writes or deletes a note as a program without a sync engine does.
    private func writeFromOutside() async throws {
        let id = CKRecord.ID(recordName: pick(Self.names), zoneID: Self.zoneID)
        do {
            if chance(30) {
                note("\(id.recordName) is deleted")
                try await observer.deleteRecord(withID: id)
            } else {
                editCount += 1
                let record = CKRecord(recordType: "Notes", recordID: id)
                record["text"] = "outside.\(editCount)"
                note("\(id.recordName) is set to outside.\(editCount)")
                _ = try await observer.modifyRecords(saving: [record], deleting: [], savePolicy: .allKeys)
            }
        } catch let error as CKError where [.zoneNotFound, .partialFailure].contains(error.code) {
            // No device has created the zone.
        }
        try await recordHistory()
    }

    /// Lets a device send undisturbed, and checks that the store has had its last edits.
    private func settle(_ index: Int) async {
        guard !busy.contains(index) else { return }
        isDisturbed = false
        defer { isDisturbed = true }
        for _ in 0..<Self.names.count + 3 where !devices[index].isSent(engines[index]) {
            await perform("sends all", index) { try await $0.sendChanges() }
        }
        checkEdits(of: index)
    }

    // MARK: Moments

    /// A moment at which something may happen.
    func moment(_ index: Int) async {
        guard isDisturbed, failure == nil, disturbances > 0, depth < 3, chance(disturbance) else { return }
        disturbances -= 1
        depth += 1
        defer { depth -= 1 }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6: edit(index)
        case 6: try? await writeFromOutside()
        default: await work((index + Int.random(in: 1..<devices.count, using: &random)) % devices.count)
        }
    }

    /// The fault that happens to a request, or `nil`.
    func requestFault() -> InjectedFault? {
        guard isDisturbed, !startsWithoutZone, failure == nil, chance(disturbance / 3) else { return nil }
        return pick([.failure(.zoneBusy), .connectionLostBeforeCommit(), .connectionLostAfterCommit()])
    }

    /// Compares the store with its last known content, after a write.
    func recordHistory() async throws {
        let texts = try await storedTexts()
        for name in Self.names where texts[name] != history[name]?.last ?? nil {
            history[name]?.append(texts[name])
            note("  \(name) is \(texts[name] ?? "nothing") in the store")
        }
    }

    func note(_ event: String) { log.append(String(repeating: "  ", count: depth) + event) }

    // MARK: Checks

    private func storedTexts() async throws -> [String: String] {
        do {
            let page = try await observer.recordZoneChanges(inZoneWith: Self.zoneID, since: nil)
            return try page.modificationResultsByID.reduce(into: [:]) {
                $0[$1.key.recordName] = try $1.value.get().record["text"]
            }
        } catch let error as CKError where error.code == .zoneNotFound {
            return [:]
        }
    }

    private func checkEdits(of index: Int) {
        for name in Self.names {
            guard let edit = lastEdits[index][name], let texts = history[name] else { continue }
            // The note may not have existed when it was deleted.
            let later = texts.dropFirst(edit.text == nil ? edit.position - 1 : edit.position)
            if !later.contains(edit.text) {
                fail("The store never had the edit '\(edit.text ?? "nothing")' of \(name), made by device \(index).")
            }
        }
        if !devices[index].isSent(engines[index]) { fail("Device \(index) has changes that it did not send.") }
    }

    private func fail(_ message: String) {
        if failure == nil { failure = message }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private func pick<Element>(_ elements: [Element]) -> Element {
        // The arrays above are not empty.
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }
}
