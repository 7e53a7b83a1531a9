import Cabinet
import CabinetTesting
import Foundation

@testable import CabinetCloudKit
@testable import CabinetICloud

/// A user's iCloud in memory, with any number of devices.
struct ICloudWorld {
    let backend = MemoryBackend()
    let registry = ContainerRegistry()
    /// The keys that CloudKit keeps for the user.
    let keys = TestEncryption()
    let cloud: CKContainer

    init(account: Account? = Account(userRecordName: "_anna")) {
        cloud = CKContainer(identifier: "iCloud.com.example.test", registry: registry)
        use(account)
    }

    /// Signs another user in.
    func use(_ account: Account?) {
        let backend = backend
        let options = CabinetCloudKit.Options(account: account, encryption: keys.encryption)
        registry.configure(options) { try Container($0, over: backend, $1) }
    }

    /// Another device of the same user.
    func otherDevice(account: Account? = Account(userRecordName: "_anna")) -> CKContainer {
        CKContainer(
            identifier: "iCloud.com.example.test", backend: backend,
            options: CabinetCloudKit.Options(account: account))
    }

    /// A container in this iCloud.
    func container(_ configuration: ICloudConfiguration = ICloudConfiguration()) async throws -> Container {
        try await Container(iCloud: cloud, configuration: configuration)
    }

    /// A container with a custom zone, which is atomic.
    func zone() async throws -> (Container, Database, RecordZone) {
        let container = try await container()
        let zone = try await container.privateDatabase.save(RecordZone(zoneName: "Lists"))
        return (container, container.privateDatabase, zone)
    }
}

extension RecordZone {
    /// A record of the zone with a number.
    func record(_ name: String, number: Int? = nil) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zoneID))
        record["number"] = number
        return record
    }
}

/// Returns the error that a closure throws.
func error<Success>(_ body: () async throws -> Success) async -> CabinetError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? CabinetError
    }
}
