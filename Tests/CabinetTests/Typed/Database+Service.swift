@testable import Cabinet

extension Database {
    /// The same database over another service.
    func over(_ service: any DatabaseService) -> Database {
        Database(
            databaseScope: databaseScope, zoneID: zoneID,
            client: ServiceClient(
                containerIdentifier: client.containerIdentifier, service: service, caller: client.caller))
    }
}
