import Cabinet
import CloudKit
import Foundation

/// Answers the requests of one caller by CloudKit's operations.
struct ICloudRequestHandler: RequestHandler {
    let container: CKContainer
    /// The record name of the user; `nil` for a caller that reads the public database alone.
    let user: String?
    let assets: ICloudAssets
    let systemFields: SystemFieldsCache
    let signals: ICloudSignals

    /// The most items of an operation; Apple may change it.
    static let maximumCount = 400

    /// Returns the database of a request.
    func database(_ scope: DatabaseScope, toWrite: Bool = false) throws(CabinetError) -> CKDatabase {
        if user == nil, scope != .public || toWrite { throw AccountRule.notAuthenticated }
        return switch scope {
        case .public: container.publicCloudDatabase
        case .private: container.privateCloudDatabase
        case .shared: container.sharedCloudDatabase
        }
    }

    func reader(_ scope: DatabaseScope) -> RecordReader {
        RecordReader(scope: scope, user: user, assets: assets, systemFields: systemFields)
    }

    /// Returns the result of an item, or an error if CloudKit has left it out.
    func result<ID: Hashable, Object, Value>(
        of id: ID, in results: [ID: Result<Object, any Error>], _ read: (Object) throws -> Value
    ) -> Result<Value, CabinetError> {
        guard let result = results[id] else {
            return .failure(CabinetError(.internalError, "iCloud gave no result for \(id)."))
        }
        return Result { try read(try result.get()) }.mapError { CabinetError(cloudKit: $0) }
    }
}
