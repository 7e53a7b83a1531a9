/// A version of the local copy of a mirror: as long as it is the same, no record and no pending change is another one.
///
/// Every transaction of a program or a mirror has numbers. A change of the schema has none, and changes records nevertheless.
package final class MirrorVersion: Sendable {
    private let state: DatabaseState
    private let schema: StoredSchema

    init(_ state: DatabaseState, _ schema: StoredSchema) {
        (self.state, self.schema) = (state, schema)
    }
}

extension MirrorVersion: Equatable {
    package static func == (left: MirrorVersion, right: MirrorVersion) -> Bool {
        // The records of a page share one version.
        left === right || left.state == right.state && left.schema == right.schema
    }
}
