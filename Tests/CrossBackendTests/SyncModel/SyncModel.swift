@testable import Cabinet
import CabinetTesting
import Foundation

/// Several devices with the notes and the delegate of the article "Sync engines", against one store.
///
/// A seed decides what happens: edits, kills, faults and the work of other devices, at every moment of a send or a fetch. Nothing
/// runs at the same time, so a seed always does the same.
actor SyncModel {
    /// The constants that a seed chooses.
    struct Constants: Sendable {
        let batchSize: Int
        let pageSize: Int?
        let retention: ChangeRetention
        /// Whether a device stores its notes after each event, and not only with the engine's state.
        let storesEachEvent: Bool
        /// Whether programs are killed.
        ///
        /// The next engine may repair what a faulty one has done.
        let hasKills: Bool
        /// The probability that something happens at a moment, in percent.
        let disturbance: Int
        /// Whether a device removes what a fetch of the whole zone has not reported at its end.
        ///
        /// Reported records are not stored, so no such program is killed.
        let sweeps: Bool

        init(_ random: inout SeededGenerator) {
            batchSize = [1, 1, 2, 400].randomElement(using: &random) ?? 1
            pageSize = [1, 1, 2, nil].randomElement(using: &random) ?? nil
            retention = ChangeRetention(age: 100, count: [1, 1, 3, 1000].randomElement(using: &random) ?? 1)
            storesEachEvent = Bool.random(using: &random)
            hasKills = Bool.random(using: &random)
            disturbance = [4, 12, 30].randomElement(using: &random) ?? 12
            sweeps = Bool.random(using: &random) && !hasKills
        }
    }

    static let names = ["a", "b", "c", "d"]
    static let zoneID = SyncedNotes.zone.zoneID
    /// Zones without notes, so that a list of zones is longer than a page.
    private static let otherZoneNames = ["Drafts", "Photos"]

    let constants: Constants
    let fault: SyncFault?
    let clock = TestClock()
    private let base: any StorageBackend
    private let observer: Database
    private(set) var devices: [SyncModelDevice] = []
    /// Every text that a note has had in the store, and `nil` where it did not exist.
    private var history: [String: [String?]] = [:]
    private(set) var failure: String?
    private(set) var log: [String] = []
    private var random: SeededGenerator
    private var isDisturbed = true
    /// The number of disturbances that a step may still have: a send goes on as long as there are edits.
    private var disturbances = 0
    private var depth = 0
    private var editCount = 0

    init(seed: UInt64, fault: SyncFault? = nil, on base: any StorageBackend = MemoryBackend()) throws {
        random = SeededGenerator(seed: seed)
        constants = Constants(&random)
        self.fault = fault
        self.base = base
        observer = try Container(identifier: SyncModelDevice.container, backend: base, now: clock.now).privateDatabase
        for name in Self.names { history[name] = [nil] }
    }

    /// Runs steps, and then lets every device send and fetch until nothing changes.
    ///
    /// - Returns: The first mistake, with the events before it, or `nil`.
    func run(devices count: Int = 3, steps: Int = 40) async throws -> String? {
        for index in 0..<count {
            devices.append(try SyncModelDevice(index, self, base, constants, clock))
            await start(index)
        }
        for _ in 0..<steps where failure == nil { try await step() }
        isDisturbed = false
        if failure == nil { try await finish() }
        return failure.map { "\($0)\n\(constants)\n\(log.suffix(120).joined(separator: "\n"))" }
    }

    private func step() async throws {
        let index = Int.random(in: devices.indices, using: &random)
        disturbances = 30
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: await edit(index)
        case 6..<15: await work(index)
        case 15: try await writeFromOutside()
        case 16: await kill(index)
        case 17:
            clock.advance(by: 60)
            note("a minute passes")
        default: try await settle(index)
        }
        for index in devices.indices { await runReports(index) }
    }
}

extension SyncModel {
    /// Edits a note on a device.
    private func edit(_ index: Int) async {
        guard devices[index].isAlive else { return }
        let name = pick(Self.names)
        editCount += 1
        let text = chance(25) ? nil : "\(index).\(editCount)"
        note("device \(index) sets \(name) to \(text ?? "nothing")")
        await devices[index].notes.edit(name, text, devices[index].engine)
        devices[index].edited(name, text, at: history[name]?.count ?? 0)
        await store(index)
    }

    /// Lets a device send, fetch, or both.
    private func work(_ index: Int) async {
        guard devices[index].isAlive, !devices[index].isBusy else { return }
        let choice = Int.random(in: 0..<3, using: &random)
        if choice != 0 { await perform("sends", index) { try await $0.sendChanges() } }
        if choice != 1 { await perform("fetches", index) { try await $0.fetchChanges() } }
    }

    private func perform(_ name: String, _ index: Int, _ body: (SyncEngine) async throws -> Void) async {
        devices[index].callCount += 1
        do {
            try await body(devices[index].engine)
        } catch {
            note("device \(index) \(name): \((error as? CabinetError).map { "\($0.code)" } ?? "\(error)")")
        }
        await end(index)
    }

    private func end(_ index: Int) async {
        devices[index].callCount -= 1
        if !devices[index].isAlive, !devices[index].isBusy { await start(index) }
    }

    /// Writes or deletes a note or a zone, as a program without a sync engine does.
    private func writeFromOutside() async throws {
        if chance(20) { return try await changeOtherZone() }
        let id = RecordID(recordName: pick(Self.names), zoneID: Self.zoneID)
        do {
            if chance(10) {
                note("the zone is deleted")
                try await observer.deleteRecordZone(withID: Self.zoneID)
            } else if chance(30) {
                note("\(id.recordName) is deleted")
                try await observer.deleteRecord(withID: id)
            } else {
                editCount += 1
                var record = Record(recordType: "Notes", recordID: id)
                record["text"] = "outside.\(editCount)"
                note("\(id.recordName) is set to outside.\(editCount)")
                try await observer.save(record, savePolicy: .allKeys)
            }
        } catch CabinetError.Code.zoneNotFound {
            // No device has created it.
        }
        try await recordHistory(by: nil)
    }

    private func changeOtherZone() async throws {
        let id = RecordZone.ID(zoneName: pick(Self.otherZoneNames))
        if try await observer.allRecordZones().contains(where: { $0.zoneID == id }) {
            note("the zone \(id.zoneName) is deleted")
            try await observer.deleteRecordZone(withID: id)
        } else {
            note("the zone \(id.zoneName) is created")
            try await observer.save(RecordZone(zoneID: id))
        }
    }

    /// Ends a device's program in the middle of what it does.
    private func kill(_ index: Int) async {
        guard constants.hasKills else { return }
        note("device \(index) is killed")
        devices[index].kill()
        if !devices[index].isBusy { await start(index) }
    }

    private func start(_ index: Int) async {
        do {
            try devices[index].start()
            await devices[index].notes.resume(devices[index].engine)
        } catch {
            fail("Device \(index) did not start: \(error)")
        }
    }

    private func store(_ index: Int) async {
        let content = await devices[index].notes.content
        devices[index].store(content)
    }

    /// Lets a device pass the states that its engine reports soon.
    private func runReports(_ index: Int) async {
        devices[index].callCount += 1
        for report in devices[index].takeReports() { await report() }
        await end(index)
    }
}

extension SyncModel {
    /// A moment at which something may happen.
    ///
    /// - Parameter isFree: Whether the engine's delegate is not called at this moment.
    func moment(_ index: Int, _ life: Int, isFree: Bool = false) async {
        guard isDisturbed, failure == nil, disturbances > 0, depth < 3, isAlive(index, life),
            chance(constants.disturbance)
        else { return }
        disturbances -= 1
        depth += 1
        defer { depth -= 1 }
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<6: await edit(index)
        case 6: await kill(index)
        case 7: try? await writeFromOutside()
        case 8 where isFree: await runReports(index)
        default: await work((index + Int.random(in: 1..<max(devices.count, 2), using: &random)) % devices.count)
        }
    }

    func isAlive(_ index: Int, _ life: Int) -> Bool { devices[index].isAlive && devices[index].life == life }

    /// The fault that happens to a request, or `nil`.
    func requestFault(isRead: Bool) -> InjectedFault? {
        guard isDisturbed, failure == nil, chance(constants.disturbance / 3) else { return nil }
        let faults: [InjectedFault] = [
            .failure(.zoneBusy), .connectionLostBeforeCommit(), .connectionLostAfterCommit(),
        ]
        return pick(isRead ? faults + [.failure(.changeTokenExpired)] : faults)
    }

    func notes(_ index: Int) -> SyncedNotes { devices[index].notes }

    /// Stores what a device's notes have after an event, or remembers that it is to be stored.
    func handled(_ event: SyncEngine.Event, _ content: SyncedNotes.Content, by index: Int) {
        note(event, of: index)
        switch event {
        case .fetchedDatabaseChanges(let changes): devices[index].zones.subtract(changes.deletions.map(\.zoneID))
        case .didFetchRecordZoneChanges(let zone) where zone.error == nil: devices[index].zones.insert(zone.zoneID)
        case .sentRecordZoneChanges(let changes):
            for record in changes.savedRecords { devices[index].confirm(record.recordID.recordName, record["text"]) }
            for id in changes.deletedRecordIDs { devices[index].confirm(id.recordName, nil) }
        default: break
        }
        let isState = if case .stateUpdate = event { true } else { false }
        if isState || constants.storesEachEvent { devices[index].store(content) }
    }

    /// Passes a batch on, cut to the size that the seed chose.
    func cut(_ batch: SyncEngine.RecordZoneChangeBatch) -> SyncEngine.RecordZoneChangeBatch {
        var (batch, cut) = (batch, SyncEngine.RecordZoneChangeBatch())
        batch.recordsToSave.sort { $0.recordID.recordName < $1.recordID.recordName }
        batch.recordIDsToDelete.sort { $0.recordName < $1.recordName }
        for _ in 0..<constants.batchSize {
            let saves = batch.recordsToSave.count
            let count = saves + batch.recordIDsToDelete.count
            guard count > 0 else { break }
            let position = Int.random(in: 0..<count, using: &random)
            if position < saves {
                cut.recordsToSave.append(batch.recordsToSave.remove(at: position))
            } else {
                cut.recordIDsToDelete.append(batch.recordIDsToDelete.remove(at: position - saves))
            }
        }
        return cut
    }

    /// Compares the store with its last known content, after a write of a device or of another program.
    func recordHistory(by index: Int?) async throws {
        let texts = try await storedTexts()
        for name in Self.names {
            let text = texts[name]
            guard text != history[name]?.last ?? nil else { continue }
            history[name]?.append(text)
            note("  \(name) is \(text ?? "nothing") in the store")
            guard let index, !devices[index].mayWrite(name, text) else { continue }
            fail("Device \(index) wrote \(text ?? "nothing") to \(name), which it has sent before.")
        }
    }

    private func storedTexts() async throws -> [String: String] {
        do {
            let page = try await observer.recordZoneChanges(inZoneWith: Self.zoneID, since: nil)
            return try page.modificationResultsByID.reduce(into: [:]) {
                $0[$1.key.recordName] = try $1.value.get().record["text"]
            }
        } catch CabinetError.Code.zoneNotFound {
            return [:]
        }
    }
}

extension SyncModel {
    /// Lets a device send undisturbed, and checks that the store has had its last edits.
    private func settle(_ index: Int) async throws {
        guard devices[index].isAlive, !devices[index].isBusy, failure == nil else { return }
        isDisturbed = false
        defer { isDisturbed = true }
        for _ in 0..<Self.names.count + 3 where !(await isSent(index)) {
            await runReports(index)
            await perform("sends all", index) { try await $0.sendChanges() }
        }
        await checkEdits(of: index)
    }

    private func isSent(_ index: Int) async -> Bool {
        await devices[index].notes.content.edited.isEmpty && !devices[index].engine.state.hasPendingChanges
    }

    private func checkEdits(of index: Int) async {
        for name in Self.names {
            guard let edit = devices[index].lastEdits[name], let texts = history[name] else { continue }
            // The note may not have existed when it was deleted.
            let later = texts.dropFirst(edit.text == nil ? edit.position - 1 : edit.position)
            if !later.contains(edit.text) {
                fail("The store never had the edit '\(edit.text ?? "nothing")' of \(name), made by device \(index).")
            }
        }
        let content = await devices[index].notes.content
        let pending = devices[index].engine.state.pendingRecordZoneChanges
        if !content.edited.isEmpty || !pending.isEmpty {
            fail("Device \(index) did not send \(content.edited.map(\.recordName)), pending: \(pending).")
        }
    }

    private func finish() async throws {
        for _ in 0..<Self.names.count + 3 {
            for index in devices.indices {
                await runReports(index)
                await perform("sends at the end", index) { try await $0.sendChanges() }
                await perform("fetches at the end", index) { try await $0.fetchChanges() }
            }
        }
        let texts = try await storedTexts()
        let zones = Set(try await observer.allRecordZones().map(\.zoneID))
        for index in devices.indices where failure == nil {
            await checkEdits(of: index)
            let deleted = devices[index].zones.subtracting(zones)
            if !deleted.isEmpty { fail("Device \(index) has not learned of the deletion of \(deleted).") }
            let own = await devices[index].notes.texts
            if own != texts { fail("Device \(index) has \(own); the store has \(texts).") }
        }
    }

    private func fail(_ message: String) {
        if failure == nil { failure = message }
    }

    private func note(_ event: String) { log.append(String(repeating: "  ", count: depth) + event) }

    private func note(_ event: SyncEngine.Event, of index: Int) {
        switch event {
        case .fetchedDatabaseChanges(let changes):
            note(
                "device \(index) learns of \(changes.modifications.count) zones and \(changes.deletions.count) deleted ones"
            )
        case .fetchedRecordZoneChanges(let changes):
            let beginning = changes.isFromBeginning ? " from the beginning" : ""
            let names =
                changes.modifications.map { "+\($0.record.recordID.recordName)" }
                + changes.deletions.map { "-\($0.recordID.recordName)" }
            note("device \(index) learns\(beginning) \(names)")
        case .sentRecordZoneChanges(let changes):
            let names =
                changes.savedRecords.map { "+\($0.recordID.recordName)" }
                + changes.deletedRecordIDs.map { "-\($0.recordName)" }
                + changes.failedRecordSaves.map { "\($0.record.recordID.recordName) \($0.error.code)" }
            note("device \(index) has sent \(names)")
        default: break
        }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private func pick<Element>(_ elements: [Element]) -> Element {
        // The arrays above are not empty.
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }
}
